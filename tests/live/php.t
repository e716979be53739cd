# php.t - functions of PHP in stacks: every line of every frame, and shares, against what
# the program itself saw and measured. Of php, and of the programs in PROF_PHPS, if these
# are other versions.
# Slow: it samples programs for seconds.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"
. "$src/tests/lib/interp.sh"

# With $long, also those of other releases of Debian.
others php
phps=
for php in php $PROF_PHPS $others; do
	"$php" -n -r 'exit(PHP_VERSION_ID < 70400 || PHP_VERSION_ID >= 80600 ? 1 : 0);' \
		2>/dev/null && phps="$phps $php"
done

cat >known.php <<'END'
<?php
class Cpu {
    static $spent = [];

    static function now() {
        $u = getrusage();
        return $u["ru_utime.tv_sec"] + $u["ru_stime.tv_sec"] +
            ($u["ru_utime.tv_usec"] + $u["ru_stime.tv_usec"]) / 1e6;
    }
}

function burn($ms) {
    $names = [];
    $frames = debug_backtrace();
    foreach ($frames as $i => $f) {
        if (!isset($f["line"]) || $f["file"] != __FILE__)
            continue;
        $by = $frames[$i + 1] ?? ["function" => "{main}"];
        $names[] = (isset($by["class"]) ? $by["class"] . "::" : "") .
            $by["function"] . ":" . $f["line"];
    }
    $key = implode(";", array_reverse($names));
    $now = $start = Cpu::now();
    while ($now < $start + $ms / 1000) {
        for ($i = 0; $i < 1000; $i++)
            $now = $now * 1;
        for ($i = 0; $i < 1000; $i++)
            $now = $now * 1;
        $now = Cpu::now();
    }
    Cpu::$spent[$key] = (Cpu::$spent[$key] ?? 0) + $now - $start;
}

class Shop {
    function buy($ms) {
        burn($ms);
    }

    static function sell($ms) { burn($ms); }

    function __get($name) {
        burn(30);
    }

    function __call($name, $args) {
        burn($args[0]);
    }

    function __toString() {
        burn(30);
        return "";
    }

    function __destruct() {
        burn(30);
    }
}

function nested($ms) {
    $inner = function ($ms) {
        $innermost = fn($ms) => burn($ms);
        $innermost($ms);
    };
    $inner($ms);
}

function generate($ms) {
    burn($ms);
    yield 1;
    foreach ([1, 2] as $i) {
        burn($ms);
        yield $i;
    }
}

function delegate($ms) {
    yield from generate($ms);
}

function relay($ms) {
    yield from delegate($ms);
}

function recurse($n, $ms) {
    if ($n)
        return recurse($n - 1,
                       $ms);
    burn($ms);
}

function handle($ms) {
    try {
        throw new Exception("x");
    } catch (Exception $e) {
        burn($ms);
    } finally {
        burn($ms);
    }
}

function by_c($ms) {
    $list = [2, 1];
    usort($list, function ($a, $b) use ($ms) {
        burn($ms);
        return $a - $b;
    });
    array_map([new Shop, "buy"], [$ms]);
    call_user_func_array('burn', [$ms]);
    preg_replace_callback('/x/', function ($m) use ($ms) { burn($ms); return ""; }, "x");
}

function main() {
    $shop = new Shop;
    $shop->buy(150);
    Shop::sell(60); $shop->price;
    $shop->anything(60);
    $text = "$shop";
    nested(60);
    foreach (generate(30) as $x);
    foreach (delegate(30) as $x);
    foreach (relay(30) as $x);
    recurse(
        100, 60);
    handle(30);
    by_c(60);
    eval("burn(60);\n");
    include "part.php";
    $shop = null;
    if (class_exists("Fiber")) {
        $fiber = new Fiber(function () { nested(60); });
        $fiber->start();
    }
}

if (($argv[1] ?? "") == "brief") {
    burn(200);
    exit;
}
main();
foreach (Cpu::$spent as $key => $s)
    printf("%.6f %s\n", $s, $key);
END
echo '<?php burn(60);' >part.php

# in_order PHP: C called by PHP called by C. No evaluator is left.
in_order() {
	prof-record -q -F 500 --interp=mixed -o known.pb.gz "$1" "$PWD/known.php" >truth || return 2
	prof-symbolize known.pb.gz -o named.pb.gz 2>/dev/null || return 2
	prof-text --folded --sample-index=samples named.pb.gz |
		awk -v ns="$(signal_ns known.pb.gz)" "$chance"'
		FILENAME == "truth" { spent += $1 * 1e9; next }
		/;burn/ { all += $NF }
		/;burn/ && /execute_ex.*;burn/ { left += $NF }
		/;by_c;usort;[^;]*(php|zif|zend)[^;]*;(.*;)?(known\.)?\{closure[^;]*;burn/ {
			c += $NF
		}
		END {
			print all, "signals, with an evaluator", left + 0, \
				"through a sort", c + 0
			# The sort has 60 ms.
			exit !(chance_count(all, spent / ns) && chance_most(left, all, 1e-4) &&
				chance_count(c + 0, 6e7 / ns))
		}' truth -
}

if [ -z "$phps" ]; then
	skip 'functions of PHP' 'no PHP of 7.4 to 8.5'
	plan
	exit
fi
if ! seccomp sees; then
	skip 'functions of PHP' 'a seccomp filter: no functions of interpreters'
	plan
	exit
fi

for php in $phps; do
	version=$("$php" -n -r 'echo PHP_VERSION;')
	live "$version: each place has its share, each frame its line" \
		truth --interp=only "$php" "$PWD/known.php"
	# What evaluates a loop has its place in a register.
	live "$version: a loop has its line" \
		lines 25 27 --interp=only "$php" "$PWD/known.php"
	live "$version: C and PHP are in order" in_order "$php"
done

php=${phps##* }
live 'code that opcache shares' truth --interp=only "$php" -d opcache.enable_cli=1 \
	"$PWD/known.php"

# asleep, allocated: by their callers.
cat >waits.php <<'END'
<?php
function nap() {
    usleep(500000);
}
function hoard() {
    for ($i = 0; $i < 300; $i++)
        $kept[] = str_repeat("x", 3000000);
    return $kept;
}
$start = microtime(true);
nap();
fprintf(STDERR, "%f", microtime(true) - $start);
hoard();
END
asleep() {
	prof-record -q --clock=wall -F 100 -o wall.pb.gz "$1" -d memory_limit=-1 \
		"$PWD/waits.php" 2>took || return 2
	prof-text --folded --lines --sample-index=wall wall.pb.gz |
		awk -v took="$(cat took)" "$chance"'
		/waits\.\{main\} [^;]*:11;.*nap [^;]*:3;.*usleep/ { n += $NF / 1e7 }
		END {
			print n, "looks at", took, "s asleep"
			exit !chance_ticks(n, n, 50, 100 * took, 2)
		}'
}
live 'a function that sleeps, by the wall clock' asleep "$php"
check 'a server that waits is no news, by the wall clock' 0 \
	"prof-record --clock=wall -o server.pb.gz timeout 1 '$php' -n -S 127.0.0.1:0 2>&1 |
		grep 'without functions'; prof-text --comments server.pb.gz | grep -c clock=wall" <<'END'
1
END
allocated() {
	USE_ZEND_ALLOC=0 prof-record -q --heap=1 -o heap.pb.gz "$1" -d memory_limit=-1 \
		"$PWD/waits.php" 2>took || return 2
	prof-text --folded --lines --sample-index=alloc_space heap.pb.gz |
		awk '/waits\.\{main\} [^;]*:13;.*hoard [^;]*:7;.*str_repeat/ { n += $NF }
		END { print n; exit !(n >= 900000000 && n < 910000000) }'
}
live 'functions that allocate' allocated "$php"

cat >collects.php <<'END'
<?php
function works() {
    gc_collect_cycles();
}
function burn() {
    $start = getrusage()["ru_utime.tv_usec"];
    while ((getrusage()["ru_utime.tv_usec"] - $start + 1000000) % 1000000 < 200000);
}
gc_disable();
for ($i = 0; $i < 500000; $i++) {
    $a = [];
    $a[0] = &$a;
    unset($a);
}
burn();
works();
END
live 'garbage collection' does 'garbage collection' "$php" -d memory_limit=-1 "$PWD/collects.php"

cat >compiles.php <<'END'
<?php
function works() {
    for ($i = 0; $i < 5; $i++)
        include "data.inc";
}
function burn() {
    $start = getrusage()["ru_utime.tv_usec"];
    while ((getrusage()["ru_utime.tv_usec"] - $start + 1000000) % 1000000 < 200000);
}
burn();
works();
END
{
	echo '<?php if (false) {'
	seq 5000 | sed 's/.*/$x&["a"][$y&] = f&($x&, $z) + 1;/'
	echo '}'
} >data.inc
live 'code that is compiled' does 'PHP compiles' "$php" "$PWD/compiles.php"

cat >workers.php <<'END'
<?php
function now() {
    $u = getrusage();
    return ($u["ru_utime.tv_sec"] + $u["ru_stime.tv_sec"]) * 1000 +
        ($u["ru_utime.tv_usec"] + $u["ru_stime.tv_usec"]) / 1000;
}
function work($ms) {
    $end = now() + $ms;
    while (now() < $end);
}
foreach ([100, 200, 300] as $ms)
    if (pcntl_fork() == 0) {
        work($ms);
        exit(0);
    }
while (pcntl_wait($status) > 0);
END
live 'forked workers' workers "$php" "$PWD/workers.php"

cat >leaves.php <<'END'
<?php
class Last {
    function __destruct() {
        $end = hrtime(true) + 3e8;
        while (hrtime(true) < $end);
    }
}
$last = new Last;
END
check 'what PHP does after the program' 0 "prof-record -q -o leaves.pb.gz $php leaves.php
	prof-text --folded leaves.pb.gz | grep -c -m 1 '\[PHP ends a request\];Last::__destruct'" <<'END'
1
END

check 'switched off' 0 "prof-record -q --interp=off -o off.pb.gz $php known.php brief >out &&
	prof-text --raw off.pb.gz | awk '/burn/ { n++ } END { print n + 0 }'" <<'END'
0
END

plan
