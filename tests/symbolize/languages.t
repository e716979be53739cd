#!/bin/sh
# Names of languages that mangle them in ways of their own, by their compilers.
. "${srcdir:-.}/tests/lib/tap.sh"

need_symbols prof-symbolize
need_tools prof-symbolize gcc readelf nm
. "$src/tests/lib/symbolize.sh"

cat >m.ml <<'END'
let work' n = let r = ref 0 in for i = 1 to n do r := !r + i done; !r
let ( +! ) a b = work' (a + b)
let () = print_int (2 +! List.length (List.map work' [1; 2]))
END
cat >h.hs <<'END'
module Main where
import Data.List (sort)
(<+>) :: Int -> Int -> Int
{-# NOINLINE (<+>) #-}
a <+> b = length (show (a + b))
main :: IO ()
main = print (sort [1 <+> 2, 3])
END
cat >n.nim <<'END'
proc `+!`(a, b: int): int {.noinline.} = a * 31 + b
proc `size=`(a: var int, b: int) {.noinline.} = a = b
var x = 1
x.size = 3
echo x +! 2
END
cat >app.adb <<'END'
with Ada.Text_IO;
procedure App is
   package Inner is
      type T is record X : Integer; end record;
      function "+" (A, B : T) return T;
   end Inner;
   package body Inner is
      function "+" (A, B : T) return T is ((X => A.X + B.X));
   end Inner;
   use type Inner.T;
   A : Inner.T := (X => 3);
begin
   A := A + A;
   Ada.Text_IO.Put_Line (Integer'Image (A.X));
end App;
END

# speaks LANGUAGE COMPILER FILE NAMES OPTION...: which names do functions of the program
# that the command makes get, of these, one a line?
speaks() {
	language=$1 file=$2 names=$3
	shift 3
	if ! have "$1"; then
		skip "$language" "no $1"
		return
	elif ! "$@" >build.log 2>&1; then
		skip "$language" "$(tail -1 build.log)"
		return
	fi
	# shellcheck disable=SC2046 # words
	set -- $(text "$file")
	nm "$file" | awk 'NF == 3 && $2 ~ /[tT]/ { print "0x" $1 }' |
		addrs make $((0x$1 & -4096)) $(((0x$1 + 0x$3 + 4095) & -4096)) \
			$((0x$2 & -4096)) "$scratch/$file" "$(build_id "$file")" >all.pb
	prof-symbolize -q all.pb | addrs names | sort -u >all
	printf '%s\n' "$names" | sort >want
	grep -Fx -e "$names" all >have
	grep "$mark" all | head -5 >.said
	same "$language"
}
mark=caml speaks OCaml m "M.+!
M.work'
Stdlib.List.map" ocamlopt m.ml -o m
mark=zi speaks Haskell h 'Main.<+>
Main.main
:Main.main
GHC.Base.map' ghc h.hs -o h
mark=__ speaks Nim n 'n.+!
n.size=
system.alloc' nim c -d:release --nimcache:cache -o:n n.nim
mark=__ speaks Ada app 'app
app.inner."+"' gnatmake -q app.adb

plan
