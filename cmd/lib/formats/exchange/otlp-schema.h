/*
 * otlp-schema.h - the fields of the messages of OTLP's profiles, by number:
 * github.com/open-telemetry/opentelemetry-proto, profiles/v1development,
 * common/v1 and resource/v1, as of version 1.11.
 */
#ifndef OTLP_SCHEMA_H
#define OTLP_SCHEMA_H

enum { DATA_RESOURCES = 1, DATA_DICTIONARY };
enum { RESOURCE_RESOURCE = 1, RESOURCE_SCOPES };
enum { SCOPE_SCOPE = 1, SCOPE_PROFILES };
enum { SET_ATTRIBUTES = 1 }; /* of a Resource */
enum { INSTRUMENT_NAME = 1, INSTRUMENT_VERSION, INSTRUMENT_ATTRIBUTES };

enum {
	PROFILE_TYPE = 1,
	PROFILE_SAMPLES,
	PROFILE_TIME, /* fixed64, ns since the epoch */
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_ATTRIBUTES = 11,
};

enum { TYPE_TYPE = 1, TYPE_UNIT };

enum {
	SAMPLE_STACK = 1,
	SAMPLE_ATTRIBUTES,
	SAMPLE_LINK,
	SAMPLE_VALUES,
	SAMPLE_TIMES, /* fixed64 */
};

/* The tables of the dictionary. Entry 0 of each is its zero value. */
enum otlp_table {
	TABLE_MAPPING = 1,
	TABLE_LOCATION,
	TABLE_FUNCTION,
	TABLE_LINK,
	TABLE_STRING,
	TABLE_ATTRIBUTE,
	TABLE_STACK,
	N_TABLE,
};

enum {
	MAPPING_START = 1,
	MAPPING_LIMIT,
	MAPPING_OFFSET,
	MAPPING_FILE,
	MAPPING_ATTRIBUTES,
};
enum {
	LOCATION_MAPPING = 1,
	LOCATION_ADDRESS,
	LOCATION_LINES,
	LOCATION_ATTRIBUTES,
};
enum { LINE_FUNCTION = 1, LINE_LINE, LINE_COLUMN };
enum {
	FUNCTION_NAME = 1,
	FUNCTION_SYSTEM_NAME,
	FUNCTION_FILE,
	FUNCTION_START_LINE,
};
enum { STACK_LOCATIONS = 1 };
enum { LINK_TRACE = 1, LINK_SPAN };

/* KeyValueAndUnit; a KeyValue has a string as key, and 3 is key_strindex. */
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE, ATTRIBUTE_UNIT };
enum { KEY_VALUE_KEY = 1, KEY_VALUE_VALUE, KEY_VALUE_STRINDEX };

/* AnyValue: one of these. */
enum {
	ANY_STRING = 1,
	ANY_BOOL,
	ANY_INT,
	ANY_DOUBLE,
	ANY_ARRAY, /* a message with values in field 1 */
	ANY_LIST,  /* a message with KeyValues in field 1 */
	ANY_BYTES,
	ANY_STRINDEX,
};
enum { LIST_VALUES = 1 };

/* Names of attributes, of OpenTelemetry's semantic conventions. */
#define OTLP_BUILD_ID "process.executable.build_id.gnu"
#define OTLP_BUILD_ID_GO "process.executable.build_id.go"
#define OTLP_HAS_FUNCTIONS "pprof.mapping.has_functions"
#define OTLP_HAS_FILENAMES "pprof.mapping.has_filenames"
#define OTLP_HAS_LINES "pprof.mapping.has_line_numbers"
#define OTLP_HAS_INLINE "pprof.mapping.has_inline_frames"
#define OTLP_IS_FOLDED "pprof.location.is_folded"
#define OTLP_COMMENT "pprof.profile.comment"
#define OTLP_DROP_FRAMES "pprof.profile.drop_frames"
#define OTLP_KEEP_FRAMES "pprof.profile.keep_frames"
#define OTLP_DOC_URL "pprof.profile.doc_url"
#define OTLP_TYPE_ORDER "pprof.scope.sample_type_order"
#define OTLP_DEFAULT_TYPE "pprof.scope.default_sample_type"

#endif
