/* otlp-fields.c - see otlp-fields.h. */
#include "config.h"

#include "otlp-fields.h"

#include "otlp-schema.h"

#define ONE(number, name, kind)                                                \
	{                                                                      \
		name, number, kind, false, NULL                                \
	}
#define MANY(number, name, kind)                                               \
	{                                                                      \
		name, number, kind, true, NULL                                 \
	}
#define NEST(number, name, of)                                                 \
	{                                                                      \
		name, number, OTLP_MESSAGE, false, of                          \
	}
#define LIST(number, name, of)                                                 \
	{                                                                      \
		name, number, OTLP_MESSAGE, true, of                           \
	}
#define END                                                                    \
	{                                                                      \
		NULL, 0, 0, false, NULL                                        \
	}

static const struct otlp_field any[9]; /* values have values in them */

static const struct otlp_field key_value[] = {
	ONE(KEY_VALUE_KEY, "key", OTLP_STRING),
	NEST(KEY_VALUE_VALUE, "value", any),
	ONE(KEY_VALUE_STRINDEX, "keyStrindex", OTLP_INT32),
	END,
};

static const struct otlp_field array[] = {
	LIST(LIST_VALUES, "values", any),
	END,
};

static const struct otlp_field list[] = {
	LIST(LIST_VALUES, "values", key_value),
	END,
};

static const struct otlp_field any[9] = {
	ONE(ANY_STRING, "stringValue", OTLP_STRING),
	ONE(ANY_BOOL, "boolValue", OTLP_BOOL),
	ONE(ANY_INT, "intValue", OTLP_INT64),
	ONE(ANY_DOUBLE, "doubleValue", OTLP_DOUBLE),
	NEST(ANY_ARRAY, "arrayValue", array),
	NEST(ANY_LIST, "kvlistValue", list),
	ONE(ANY_BYTES, "bytesValue", OTLP_BASE64),
	ONE(ANY_STRINDEX, "stringValueStrindex", OTLP_INT32),
	END,
};

static const struct otlp_field value_type[] = {
	ONE(TYPE_TYPE, "typeStrindex", OTLP_INT32),
	ONE(TYPE_UNIT, "unitStrindex", OTLP_INT32),
	END,
};

static const struct otlp_field sample[] = {
	ONE(SAMPLE_STACK, "stackIndex", OTLP_INT32),
	MANY(SAMPLE_ATTRIBUTES, "attributeIndices", OTLP_INT32),
	ONE(SAMPLE_LINK, "linkIndex", OTLP_INT32),
	MANY(SAMPLE_VALUES, "values", OTLP_INT64),
	MANY(SAMPLE_TIMES, "timestampsUnixNano", OTLP_FIXED64),
	END,
};

static const struct otlp_field profile[] = {
	NEST(PROFILE_TYPE, "sampleType", value_type),
	LIST(PROFILE_SAMPLES, "samples", sample),
	ONE(PROFILE_TIME, "timeUnixNano", OTLP_FIXED64),
	ONE(PROFILE_DURATION, "durationNano", OTLP_UINT64),
	NEST(PROFILE_PERIOD_TYPE, "periodType", value_type),
	ONE(PROFILE_PERIOD, "period", OTLP_INT64),
	MANY(PROFILE_ATTRIBUTES, "attributeIndices", OTLP_INT32),
	END,
};

static const struct otlp_field instrument[] = {
	ONE(INSTRUMENT_NAME, "name", OTLP_STRING),
	ONE(INSTRUMENT_VERSION, "version", OTLP_STRING),
	LIST(INSTRUMENT_ATTRIBUTES, "attributes", key_value),
	END,
};

static const struct otlp_field scope[] = {
	NEST(SCOPE_SCOPE, "scope", instrument),
	LIST(SCOPE_PROFILES, "profiles", profile),
	END,
};

static const struct otlp_field attribute_set[] = {
	LIST(SET_ATTRIBUTES, "attributes", key_value),
	END,
};

static const struct otlp_field resource[] = {
	NEST(RESOURCE_RESOURCE, "resource", attribute_set),
	LIST(RESOURCE_SCOPES, "scopeProfiles", scope),
	END,
};

static const struct otlp_field mapping[] = {
	ONE(MAPPING_START, "memoryStart", OTLP_UINT64),
	ONE(MAPPING_LIMIT, "memoryLimit", OTLP_UINT64),
	ONE(MAPPING_OFFSET, "fileOffset", OTLP_UINT64),
	ONE(MAPPING_FILE, "filenameStrindex", OTLP_INT32),
	MANY(MAPPING_ATTRIBUTES, "attributeIndices", OTLP_INT32),
	END,
};

static const struct otlp_field line[] = {
	ONE(LINE_FUNCTION, "functionIndex", OTLP_INT32),
	ONE(LINE_LINE, "line", OTLP_INT64),
	ONE(LINE_COLUMN, "column", OTLP_INT64),
	END,
};

static const struct otlp_field location[] = {
	ONE(LOCATION_MAPPING, "mappingIndex", OTLP_INT32),
	ONE(LOCATION_ADDRESS, "address", OTLP_UINT64),
	LIST(LOCATION_LINES, "lines", line),
	MANY(LOCATION_ATTRIBUTES, "attributeIndices", OTLP_INT32),
	END,
};

static const struct otlp_field function[] = {
	ONE(FUNCTION_NAME, "nameStrindex", OTLP_INT32),
	ONE(FUNCTION_SYSTEM_NAME, "systemNameStrindex", OTLP_INT32),
	ONE(FUNCTION_FILE, "filenameStrindex", OTLP_INT32),
	ONE(FUNCTION_START_LINE, "startLine", OTLP_INT64),
	END,
};

static const struct otlp_field stack[] = {
	MANY(STACK_LOCATIONS, "locationIndices", OTLP_INT32),
	END,
};

static const struct otlp_field link[] = {
	ONE(LINK_TRACE, "traceId", OTLP_HEX),
	ONE(LINK_SPAN, "spanId", OTLP_HEX),
	END,
};

static const struct otlp_field attribute[] = {
	ONE(ATTRIBUTE_KEY, "keyStrindex", OTLP_INT32),
	NEST(ATTRIBUTE_VALUE, "value", any),
	ONE(ATTRIBUTE_UNIT, "unitStrindex", OTLP_INT32),
	END,
};

static const struct otlp_field dictionary[] = {
	LIST(TABLE_MAPPING, "mappingTable", mapping),
	LIST(TABLE_LOCATION, "locationTable", location),
	LIST(TABLE_FUNCTION, "functionTable", function),
	LIST(TABLE_LINK, "linkTable", link),
	MANY(TABLE_STRING, "stringTable", OTLP_STRING),
	LIST(TABLE_ATTRIBUTE, "attributeTable", attribute),
	LIST(TABLE_STACK, "stackTable", stack),
	END,
};

const struct otlp_field otlp_data[] = {
	LIST(DATA_RESOURCES, "resourceProfiles", resource),
	NEST(DATA_DICTIONARY, "dictionary", dictionary),
	END,
};
