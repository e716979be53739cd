#!/bin/sh
# OTLP's profiles, out and in again: against protoc, which knows the messages
# from tests/formats/otlp.proto.
. "${srcdir:-.}/tests/lib/tap.sh"

has_json=true
echo '{}' | prof-import --from otlp-json 2>&1 | grep -q 'no jansson' && has_json=false
$has_json || skip 'rows of JSON' 'this build has no jansson'

# --- out and in again: nothing is lost ---

for f in "$data"/good-*.pb.gz; do
	found "$f" || continue
	prof-merge -q -z0 "$f" >merged 2>/dev/null || continue
	# U+FFFD for bytes that are not UTF-8 is the one loss: not here.
	prof-text --raw merged | grep -q '\\xff' && continue
	if prof-export --to otlp merged >out.otlp 2>.err &&
		prof-import -z0 out.otlp >back 2>>.err && cmp -s merged back && [ ! -s .err ]; then
		ok "${f##*/} out and in again is the same stream"
	else
		{ cat .err; prof-text --raw merged >a; prof-text --raw back | diff a - | head; } |
			not_ok "${f##*/} out and in again is the same stream"
	fi
	$has_json || continue
	if prof-export --to otlp-json merged >out.json 2>.err &&
		prof-import -z0 out.json >back 2>>.err && cmp -s merged back && [ ! -s .err ]; then
		ok "${f##*/} out and in again is the same stream and as JSON"
	else
		{ cat .err; prof-text --raw merged >a; prof-text --raw back | diff a - | head; } |
			not_ok "${f##*/} out and in again is the same stream and as JSON"
	fi
done
$has_json || skip 'OTLP as JSON' 'no jansson'

mkprof >p <<'END'
# samples count cpu nanoseconds
main (a.c:1)=>work (a.c:7)=>leaf (b.c:3) 3 3000000 {thread="one" thread="two" bytes=16bytes bytes=-1bytes}
main (a.c:1)=>work (a.c:7) 1 -1000000 {thread="two" bytes=16bytes n=0seconds}
main (a.c:1) 2 0
END
check 'labels, several of a key, zeros and negative values' 0 '
	prof-merge p | prof-text --raw >w
	prof-export --to otlp p | prof-import | prof-text --raw | diff w -' <<'END'
END
check 'the column that was asked for is the first, all come back' 0 '
	prof-merge p | prof-text --raw >w
	prof-export --to otlp --sample-index samples p | prof-import | prof-text --raw | diff w -' <<'END'
END
check 'two profiles of the same kind are added up' 0 '
	prof-merge p p | prof-text --raw >w
	prof-export --to otlp p >o; prof-import o o | prof-text --raw | diff w -' <<'END'
END
check 'bytes that are not UTF-8 become U+FFFD' 0 '
	printf "a\377b 3\n" | prof-import | prof-export --to otlp | prof-import |
		prof-export --to folded' <<END
a$(printf '\357\277\275')b 3
END
check_err 'other readers name the format' 2 'prof-text o' 'not a profile: looks like a file of format otlp; use prof-import'
check_err 'a truncated message' 2 'head -c 300 o | prof-import' 'prof-import: <stdin>: otlp: '
if $has_json; then
	check 'JSON: bytes that are not UTF-8 become U+FFFD' 0 '
		printf "a\377\"b 3\n" | prof-import | prof-export --to otlp-json | prof-import |
			prof-export --to folded' <<END
a$(printf '\357\277\275')"b 3
END
	prof-export --to otlp-json p >p.json
	check_err 'JSON: other readers name the format' 2 'prof-text p.json' \
		'not a profile: looks like a file of format otlp-json; use prof-import'
	# bad_json NAME SED WORDS: the message after an edit is refused.
	bad_json() {
		sed "$2" p.json >bad.json
		check_err "JSON, wrong: $1" 2 'prof-import --from otlp-json bad.json' \
			"prof-import: bad.json: $3"
	}
	bad_json 'cut off' '$d' 'JSON: line '
	bad_json 'no number' 's/"stackIndex":1/"stackIndex":"one"/' \
		'otlp-json: "stackIndex" is not an integer of 64 bits'
	bad_json 'a fraction' 's/"stackIndex":1/"stackIndex":1.5/' \
		'otlp-json: "stackIndex" is not an integer of 64 bits'
	bad_json '65 bits' 's/"values":\["3"/"values":["36893488147419103232"/' \
		'otlp-json: "values" is not an integer of 64 bits'
	bad_json 'an object for a list' 's/"linkTable":\[/"linkTable":{},"x":[/' \
		'otlp-json: "linkTable" is not an array'
	bad_json 'a list for an object' 's/"sampleType":{/"sampleType":[],"x":{/' \
		'otlp-json: "sampleType" is not an object'
	bad_json 'a number for a string' 's/^"a.c"/7/' 'otlp-json: "stringTable" is not a string'
	bad_json 'no digits' 's/"spanId":"0/"spanId":"g/' \
		'otlp-json: "spanId" is not a string of hexadecimal digits'
	bad_json 'an index' 's/"stackIndex":1/"stackIndex":77/' 'otlp: samples[0]: no entry 77'
	bad_json 'no object' '1s/^/[/;$s/$/]/' 'otlp-json: not an object'
fi
# As the OpenTelemetry Collector writes it: the dictionary first; each message
# behind its length; in JSON one on each line. The files: first, second.
if have python3; then
	mkprof >one.pb <<'END'
# cpu nanoseconds
main;work 5
END
	mkprof >two.pb <<'END'
# alloc bytes
main;take 7
END
	prof-export --to otlp one.pb >one
	prof-export --to otlp two.pb >two
	python3 - <<'END'
import struct
def fields(b):
    at = 0
    while at < len(b):
        start, shift, n = at, 0, 0
        at += 1
        while True:
            c = b[at]
            n |= (c & 127) << shift
            shift += 7
            at += 1
            if c < 128:
                break
        at += n
        yield b[start], b[start:at]
one, two = open("one", "rb").read(), open("two", "rb").read()
turned = b"".join(x for _, x in sorted(fields(one), key=lambda f: -f[0]))
assert turned != one
open("turned", "wb").write(turned)
def framed(*m):
    return b"".join(struct.pack(">I", len(x)) + x for x in m)
open("framed", "wb").write(framed(turned, two, one))
open("cut", "wb").write(framed(turned, two)[:-5])
END
	check 'the dictionary first' 0 'prof-import turned | prof-export --to folded' <<'END'
main;work 5
END
	check 'many messages, each behind its length' 0 'prof-import framed >m
		prof-export --to folded --sample-index cpu m; prof-export --to folded --sample-index alloc m' <<'END'
main;work 10
main;take 7
END
	check_err 'the last message is cut' 2 'prof-import cut' 'prof-import: cut: otlp: '
	if $has_json; then
		check 'a message on each line' 0 '
			for f in one two one; do prof-export --to otlp-json $f.pb | tr -d "\n"; echo; done >lines
			prof-import lines >m
			prof-export --to folded --sample-index cpu m; prof-export --to folded --sample-index alloc m' <<'END'
main;work 10
main;take 7
END
	fi
	for f in turned framed cut; do
		printf '\000' | cat - $f >fuzz.$f
	done
	check 'fuzz-foreign: these files' 0 'fuzz-foreign fuzz.* 2>/dev/null' <<'END'
END
else
	skip 'as the Collector writes it' 'no python3'
fi
gzip -c o >o.gz
check 'compressed' 0 'prof-import o.gz | prof-export --to folded --sort --sample-index samples' <<'END'
main 2
main;work 1
main;work;leaf 3
END

# --- protoc ---

if ! have protoc; then
	skip 'protoc' 'no protoc'
	plan
	exit 0
fi
encode() {
	protoc --encode=Data -I"$src/tests/formats" otlp.proto 2>&1
}

prof-export --to otlp "$data/good-full.pb.gz" >full
check 'protoc finds every field, UTF-8 and nothing unknown' 0 '
	protoc --decode=Data -I"$src/tests/formats" otlp.proto <full 2>&1 >full.txt |
		grep -v "^$"; grep -cE "^ *[0-9]+[:{]" full.txt; grep -c "^  profiles\|^    profiles" full.txt' <<'END'
0
3
END
check 'entry 0 of each table is its zero value' 0 '
	sed -n "/^dictionary/,\$p" full.txt | tr -d "\n" |
		grep -oE "(mapping|location|function|attribute|stack)_table \{ *\}|string_table: \"\"" | sort -u' <<'END'
attribute_table {  }
function_table {  }
location_table {  }
mapping_table {  }
stack_table {  }
string_table: ""
END

# What others write: a table without zero values, timestamps, links, nested
# attributes, comments one by one, unpacked lists are protobuf's own matter.
cat >theirs.txt <<'END'
resource_profiles {
  resource {
    attributes { key: "service.name" value { string_value: "shop" } }
    attributes { key: "limits" value { kvlist_value {
      values { key: "cpu" value { double_value: 0.1 } }
      values { key: "on" value { bool_value: true } }
      values { key_strindex: 1 value { array_value {
        values { int_value: -3 } values { bytes_value: "\001\377" } } } } } } }
  }
  scope_profiles {
    scope { name: "agent" }
    profiles {
      sample_type { type_strindex: 1 unit_strindex: 2 }
      samples { stack_index: 1 attribute_indices: [1, 2] values: [4, 5] timestamps_unix_nano: [100, 200] }
      samples { stack_index: 1 link_index: 1 timestamps_unix_nano: [300] }
      samples { stack_index: 0 values: 7 }
      time_unix_nano: 1000
      duration_nano: 50
      period_type { type_strindex: 3 unit_strindex: 4 }
      period: 10
      attribute_indices: [3, 4]
    }
    profiles {
      sample_type { type_strindex: 3 unit_strindex: 4 }
      samples { stack_index: 1 attribute_indices: [2, 1] values: 90 }
      time_unix_nano: 1040
      duration_nano: 60
    }
  }
}
dictionary {
  mapping_table { }
  mapping_table { memory_start: 4096 memory_limit: 8192 filename_strindex: 5 attribute_indices: 5 }
  location_table { }
  location_table { mapping_index: 1 address: 4112 }
  location_table { lines { function_index: 1 line: 12 column: 3 } lines { line: 4 } }
  function_table { }
  function_table { name_strindex: 6 filename_strindex: 7 }
  link_table { }
  link_table { trace_id: "\001\002\003\004\005\006\007\010\011\012\013\014\015\016\017\020" span_id: "abcdefgh" }
  string_table: ["", "samples", "count", "cpu", "nanoseconds", "/bin/app", "f", "f.c", "state", "size", "bytes"]
  string_table: ["pprof.profile.comment.0", "pprof.profile.doc_url", "process.executable.build_id.gnu"]
  attribute_table { }
  attribute_table { key_strindex: 8 value { string_value: "busy" } }
  attribute_table { key_strindex: 9 value { int_value: 8 } unit_strindex: 10 }
  attribute_table { key_strindex: 11 value { string_value: "hello" } }
  attribute_table { key_strindex: 12 value { string_value: "https://example.org/" } }
  attribute_table { key_strindex: 13 value { string_value: "c0ffee" } }
  stack_table { }
  stack_table { location_indices: [2, 1] }
}
END
encode <theirs.txt >theirs
check 'what another program wrote' 0 'prof-import -q theirs | prof-text --raw' <<'END'
Comment: hello
Comment: # import: format=otlp profiles=2 timestamps=3 void=0
Doc: https://example.org/
PeriodType: cpu nanoseconds
Period: 10
Time: 1970-01-01 00:00:00.000001 +0000 UTC
Duration: 100n
Samples:
samples/count[dflt] cpu/nanoseconds
          7          0: 
          1          0: 2 1 
                span_id:[6162636465666768] trace_id:[0102030405060708090a0b0c0d0e0f10]
          9         90: 2 1 
                state:[busy]
                size:[8 bytes]
Locations
     1: 0x1010 M=1 
     2: 0x0 f f.c:12:3 s=0()
              :4:0 s=0
Mappings
1: 0x1000/0x2000/0x0 /bin/app c0ffee 
END
check_err 'timestamps that are lost are counted' 0 'prof-import theirs >noted.pb.gz' \
	'3 timestamps of samples are left out'
check 'timestamps that are lost are counted and noted, with the comments' 0 'prof-import -q theirs | prof-text --comments' <<'END'
hello
# import: format=otlp profiles=2 timestamps=3 void=0
END
check '--label=time: a sample each' 0 \
	'prof-import --label=time theirs | prof-text --raw | sed -n "/^samples/,/^Loc/p" |
		grep -oE "^ +[0-9]+ +[0-9]+:|timestamp.*" | tr -s " \n" " "; echo' <<'END'
 7 0: 1 0: timestamp_ns:[300 nanoseconds] 0 90: 4 0: timestamp_ns:[100 nanoseconds] 5 0: timestamp_ns:[200 nanoseconds] 
END
check '--resource-labels' 0 \
	'prof-import -q --resource-labels theirs | prof-text --raw | grep -oE "service[^ ]*|limits.*]}]" | sort | uniq -c | sed "s/^ *//"' <<'END'
3 limits:[{cpu: 0.1, on: true, samples: [-3, 01ff]}]
3 service.name:[shop]
END

# --- JSON, against protobuf's own; ids are hexadecimal in OTLP alone ---

cat >otlp_json.py <<'END'
import base64, json, sys
from google.protobuf import json_format
import otlp_pb2

def ids(o, change):
    for link in o.get("dictionary", {}).get("linkTable", []):
        for key in ("traceId", "spanId"):
            if key in link:
                link[key] = change(link[key])
    return o

m = otlp_pb2.Data()
if sys.argv[1] == "encode":  # JSON on standard input, as a message
    o = ids(json.load(sys.stdin), lambda s: base64.b64encode(bytes.fromhex(s)).decode())
    json_format.ParseDict(o, m)  # unknown keys are errors
    sys.stdout.buffer.write(m.SerializeToString())
else:
    m.ParseFromString(sys.stdin.buffer.read())
    snake = sys.argv[1] == "snake"
    o = json_format.MessageToDict(m, preserving_proto_field_name=snake)
    json.dump(o if snake else ids(o, lambda s: base64.b64decode(s).hex()), sys.stdout)
END
python=
export python
for i in python3 /usr/bin/python3; do
	$i -c 'from google.protobuf import json_format' 2>.err && python=$i && break
done
if $has_json && [ -n "$python" ] && protoc --python_out=. -I"$src/tests/formats" otlp.proto 2>.err; then
	prof-export --to otlp-json "$data/good-full.pb.gz" >full.json
	check "protobuf's own JSON: ours is the same message" 0 \
		'$python otlp_json.py encode <full.json | protoc --decode=Data -I"$src/tests/formats" otlp.proto 2>&1 | diff full.txt -' <<'END'
END
	prof-import -q --resource-labels --label=time theirs | prof-text --raw | grep -v 'format=otlp' >want
	$python otlp_json.py camel <theirs >theirs.json
	check 'JSON that protobuf wrote is read like the message' 0 \
		'prof-import -q --resource-labels --label=time theirs.json | prof-text --raw | grep -v format=otlp | diff want -' <<'END'
END
	# Numbers as numbers, null and unknown keys are read, too.
	sed 's/"\(-*[0-9]\{1,9\}\)"/\1/g; s/^{/{"later": [{"key": 1}], "resource_profiles": null, /; s/"value": 8\b/"value": 8.0/
		s/"intValue": 8/"intValue": 8e0/' theirs.json >numbers.json
	check 'JSON: numbers as numbers, null, unknown keys' 0 \
		'prof-import -q --resource-labels --label=time numbers.json | prof-text --raw | grep -v format=otlp | diff want -' <<'END'
END
	$python otlp_json.py snake <theirs | sed 's/"link_table": .*\(}, *{"trace_id"[^]]*\]\)/"link_table": [{}, {"trace_id": "0102030405060708090a0b0c0d0e0f10", "span_id": "6162636465666768"}]/' >snake.json
	check 'JSON: keys as in the .proto files' 0 \
		'prof-import -q --resource-labels --label=time snake.json | prof-text --raw | grep -v format=otlp | diff want -' <<'END'
END
else
	skip 'JSON against that of protobuf' 'no jansson, or no Python with google.protobuf'
fi

if $has_json; then
	printf '%s' '{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1,"unitStrindex":2},
"samples":[{"stackIndex":0,"values":["9223372036854775807","2"],"timestampsUnixNano":["1","2"]}]}]}]}],
"dictionary":{"stringTable":["","samples","count"],"mappingTable":[{}],"locationTable":[{}],"functionTable":[{}],
"linkTable":[{}],"attributeTable":[{}],"stackTable":[{}]}}' >sum.json
	check 'values of a sample past 64 bits stay at the limit, which is said' 0 \
		'prof-import sum.json 2>err | prof-text --raw | grep 223; grep -o "sum.json: .*overflow.*" err' <<'END'
 9223372036854775807: 
sum.json: 1 values overflow 64 bits; clamped to the limit
END
fi

# wrong NAME SED WORDS: the message after an edit of its text is refused.
wrong() {
	sed "$2" theirs.txt | encode >wrong.otlp
	check_err "wrong: $1" 2 'prof-import wrong.otlp' "prof-import: wrong.otlp: otlp: $3"
}
wrong 'a location' 's/location_indices: .2, 1./location_indices: [2, 9]/' \
	'stack_table[1]: no entry 9 in location_table, which has 3'
wrong 'a stack' 's/stack_index: 0/stack_index: 5/' 'samples[2]: no entry 5 in stack_table'
wrong 'a negative index' 's/stack_index: 0/stack_index: -1/' 'samples[2]: no entry -1 in stack_table'
wrong 'a function' 's/function_index: 1/function_index: 7/' 'location_table[2]: no entry 7 in function_table'
wrong 'a mapping' 's/mapping_index: 1/mapping_index: 7/' 'location_table[1]: no entry 7 in mapping_table'
wrong 'a string' 's/name_strindex: 6/name_strindex: 60/' 'function_table[1]: no entry 60 in string_table'
wrong 'an attribute' 's/.1, 2. values/[1, 77] values/' 'samples[0]: no entry 77 in attribute_table'
wrong 'a link' 's/link_index: 1/link_index: 3/' 'samples[1]: no entry 3 in link_table'
wrong 'values and timestamps' 's/values: .4, 5./values: [4, 5, 6]/' 'samples[0]: 3 values and 2 timestamps'

# A stack of many frames that many samples share: larger than the message.
{
	echo 'resource_profiles { scope_profiles { profiles { sample_type { type_strindex: 1 }'
	yes 'samples { stack_index: 1 values: 1 }' | head -5000
	echo '} } } dictionary { string_table: ["", "n"] location_table { } stack_table { } stack_table { location_indices: [0'
	yes ', 0' | head -20000
	echo '] } }'
} | encode >bomb
check_err 'a small message is no huge profile' 2 'prof-import bomb' 'samples share too much'

printf '\000' >fuzz.a; cat theirs >>fuzz.a
printf '\001' >fuzz.b; cat theirs >>fuzz.b
printf '\002' >fuzz.c; cat full >>fuzz.c
if [ -e p.json ]; then
	printf '\003' >fuzz.d; cat p.json >>fuzz.d
fi
if [ -e theirs.json ]; then
	printf '\000' >fuzz.e; cat theirs.json >>fuzz.e
fi
check 'fuzz-foreign: these files' 0 'fuzz-foreign fuzz.* 2>/dev/null' <<'END'
END
plan
