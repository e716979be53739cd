# The fixture maker: its streams, read by another decoder than ours.
. "${srcdir:-.}/tests/lib/tap.sh"

decode() {
	cat <<'END'
gzip -dc | protoc -I"$src/proto" --decode=perftools.profiles.Profile "$src/proto/profile.proto"
END
}

cat >two.txt <<'END'
# samples count cpu nanoseconds
@mapping 0x1000 0x1010 0 /bin/app beef
@mapping 0x7000 0x9000 0x2000 /lib/x.so
@period cpu nanoseconds 10000000
@time 5
@duration 7
@default samples
@comment a remark
# a comment
main;f(int, long) (w.c:44)=>g (h.h:7:9);[2]0x7123 5 50 {user="ann b" size=2kB size=-1 depth=0}
main;main;[0]main -1 -10
() 3 30
END
check 'columns, header, frames, labels' 0 "mkprof two.txt | $(decode)" <<'END'
sample_type {
  type: 1
  unit: 2
}
sample_type {
  type: 3
  unit: 4
}
sample {
  location_id: 1
  location_id: 2
  location_id: 3
  value: 5
  value: 50
  label {
    key: 5
    str: 6
  }
  label {
    key: 7
    num: 2
    num_unit: 8
  }
  label {
    key: 7
    num: -1
  }
}
sample {
  location_id: 4
  location_id: 3
  location_id: 3
  value: -1
  value: -10
}
sample {
  value: 3
  value: 30
}
mapping {
  id: 1
  memory_start: 4096
  memory_limit: 4112
  filename: 9
  build_id: 10
  has_functions: true
  has_filenames: true
  has_line_numbers: true
  has_inline_frames: true
}
mapping {
  id: 2
  memory_start: 28672
  memory_limit: 36864
  file_offset: 8192
  filename: 11
}
location {
  id: 1
  mapping_id: 2
  address: 28963
}
location {
  id: 2
  mapping_id: 1
  address: 4096
  line {
    function_id: 2
    line: 7
    column: 9
  }
  line {
    function_id: 1
    line: 44
  }
}
location {
  id: 3
  mapping_id: 1
  address: 4096
  line {
    function_id: 3
  }
}
location {
  id: 4
  line {
    function_id: 3
  }
}
function {
  id: 1
  name: 12
  system_name: 12
  filename: 13
}
function {
  id: 2
  name: 14
  system_name: 14
  filename: 15
}
function {
  id: 3
  name: 16
  system_name: 16
}
string_table: ""
string_table: "samples"
string_table: "count"
string_table: "cpu"
string_table: "nanoseconds"
string_table: "user"
string_table: "ann b"
string_table: "size"
string_table: "kB"
string_table: "/bin/app"
string_table: "beef"
string_table: "/lib/x.so"
string_table: "f(int, long)"
string_table: "w.c"
string_table: "g"
string_table: "h.h"
string_table: "main"
string_table: "a remark"
time_nanos: 5
duration_nanos: 7
period_type {
  type: 3
  unit: 4
}
period: 10000000
comment: 17
default_sample_type: 1
END

printf '# cpu nanoseconds\na;b 1\n\nc 2' >blank.txt
check 'a missing newline at the end, a blank line' 0 \
	"mkprof <blank.txt | $(decode) | grep -c '^sample {'" <<'END'
2
END

bad() {
	printf "$2" >bad.txt
	check_err "refused: $1" 2 'mkprof bad.txt' "mkprof: bad.txt: $3"
}
bad 'no columns' 'a;b 1\n' "line 1: no '# TYPE UNIT' line before"
bad 'nothing' '\n' "line 2: no '# TYPE UNIT' line"
bad 'a type without a unit' '# cpu nanoseconds samples\n' "line 1: type 'samples' has no unit"
bad 'too few values' '# a b c d\nx;y 1\n' 'line 2: a sample needs 2 values after its stack'
bad 'no number' '# a b\nx;y z\n' 'line 2: a sample needs 1 values after its stack'
bad 'a frame without a name' '# a b\nx;;y 1\n' 'line 2: empty frame'
bad 'a mapping that is not there' '# a b\n[1]x 1\n' 'line 2: there is no mapping 1'
bad 'an unclosed label' '# a b\nx 1 {a="b}\n' "line 2: label 'a' is not closed"
bad 'a label without a value' '# a b\nx 1 {a=}\n' "line 2: label 'a' is not a number"
bad 'an unknown header field' '# a b\n@colour blue\n' "line 2: no header field '@colour'"
plan
