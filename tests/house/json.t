#!/bin/sh
# JSON output conforms to doc/schema/: real output is validated, for many
# profiles, each with a third of the reports, or with all in make check-long.
# doc/json.md is the contract.
. "${srcdir:-.}/tests/lib/tap.sh"

for python in python3 /usr/bin/python3; do
	"$python" -c 'import jsonschema' 2>/dev/null && break
	python=
done
[ "$python" ] || skip_rest 'JSON is what its schema says' 'no python3-jsonschema'

cat >validate.py <<'END'
import json, sys, jsonschema
schemas, n = sys.argv[1], 0

# A reader lets members be added; here each has to be in the schema.
def close(schema):
    if isinstance(schema, dict):
        if "properties" in schema:
            schema["additionalProperties"] = False
        for part in schema.values():
            close(part)

for line in sys.stdin:
    name = line.rstrip("\n")
    with open(name, "rb") as f:
        text = f.read()
    value = json.loads(text.decode("utf-8"))
    if not text.startswith(b'{"schema": "profpipe.'):
        sys.exit(name + ": does not begin with its schema")
    kind = value["schema"].replace("/", "-")
    with open("%s/%s.json" % (schemas, kind)) as f:
        schema = json.load(f)
    jsonschema.Draft7Validator.check_schema(schema)
    close(schema)
    try:
        jsonschema.validate(value, schema)
    except jsonschema.ValidationError as e:
        sys.exit("%s: %s" % (name, e.message))
    n += 1
if n == 0:
    sys.exit("nothing to validate")
END

# valid NAME COMMAND: run it for profiles, $f, and validate what it prints.
turn=0 every=3
[ -z "$long" ] || every=1
valid() {
	rm -f out.*.json
	turn=$((turn + 1)) n=0
	for f in "$data"/good-*.pb.gz; do
		found "$f" || continue
		n=$((n + 1))
		[ $(((n + turn) % every)) = 0 ] || continue
		sh -c "f=\$1; out=out.${f##*/}.json; $2" - "$f" \
			>"out.${f##*/}.json" 2>/dev/null ||
			rm -f "out.${f##*/}.json"
	done
	if ls out.*.json 2>/dev/null |
		"$python" validate.py "$src/doc/schema" 2>.bad; then
		ok "$1"
	else
		not_ok "$1" <.bad
	fi
}

valid 'prof-text --json' 'prof-text --json $f'
valid 'prof-text --json --addresses' 'prof-text --json --addresses --trim=false $f'
valid 'prof-text --diff --json' \
	'prof-diff --diff-base $data/good-tiny.pb.gz $f | prof-text --diff --json'

valid 'prof-list --json' 'prof-list --json . $f'
valid 'prof-list --diff --json' 'prof-diff $f $f | prof-list --diff --json .'
valid 'prof-list --disasm --json' 'prof-list --json --disasm . $f'
valid 'prof-history --json' 'prof-history --json --match=m --change $f'
valid 'prof-history --top-movers --json' 'prof-history --json --top-movers $f'
valid 'prof-history --change --json' 'prof-history --json --change $f'
# prof-gate refuses most of these pairs, and is quick.
every=1
printf '/^m/ <= 90%% of total\n' >budget
echo '# none' >none
valid 'prof-gate --json' \
	'prof-gate --json --all --budget=none $f -- $f; [ $? -le 1 ] && [ -s "$out" ]'
valid 'prof-gate --json, with budgets' \
	'prof-gate --json --budget=budget $f -- $data/good-tiny.pb.gz; [ $? -le 1 ] && [ -s "$out" ]'

# Each schema is one that doc/json.md lists, and the other way round.
for s in "$src"/doc/schema/*.json; do
	found "$s" || continue
	s=${s##*/}
	echo "${s%.json}" | sed 's|-\([0-9]*\)$|/\1|'
done | sort >files
sed -n 's/^| `\(profpipe\.[a-z]*\/[0-9]*\)`.*/\1/p' "$src/doc/json.md" |
	sort >listed
if [ -s files ] && diff files listed >.bad; then
	ok 'doc/json.md lists the schemas'
else
	not_ok 'doc/json.md lists the schemas' <.bad
fi

# The page that it names for a schema describes all members of it, where members of
# the profile may be prof-text's.
cat >members.py <<'END'
import glob, json, re, sys
doc = sys.argv[1]

def words(page):
    with open("%s/%s.1" % (doc, page)) as f:
        return set(re.findall("[a-z_]+", f.read().partition("\n.Sh JSON\n")[2]))

def members(schema):
    if isinstance(schema, list):
        schema = dict(enumerate(schema))
    if isinstance(schema, dict):
        yield from schema.get("properties", ())
        for part in schema.values():
            yield from members(part)

with open(doc + "/json.md") as f:
    for name, page in re.findall(r"^\| `(\S+)` .* (\S+)\(1\), JSON \|$", f.read(), re.M):
        with open("%s/schema/%s.json" % (doc, name.replace("/", "-"))) as f:
            schema = json.load(f)
        known = words(page) | {"schema"} | set(schema["properties"].get("verdict", {}).get("enum", ()))
        known |= set(schema["properties"].get("profile", {}).get("properties", ())) & words("prof-text")
        for member in sorted(set(members(schema)) - known):
            print("%s: %s is not in %s(1)" % (name, member, page))
        print(name)
END
check 'the pages describe each member' 0 "$python members.py '$src/doc' | sort | diff - listed" </dev/null
plan
