/*
 * sanitized.h - is this a build with AddressSanitizer, which reserves more
 * address space than any limit? IS_SANITIZED is 0 or 1.
 */
#ifndef SANITIZED_H
#define SANITIZED_H

#ifdef __has_feature
#define IS_SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

#endif
