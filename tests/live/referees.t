# referees.t - shares of Python's, Ruby's and PHP's functions beside those that profilers of
# these languages find: in the same run if they sample, else in one of their own.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"

# Six parts of ten in Shop.buy, three in a closure of nested(), one in generate(), by turns.
# Each prints its parts, of what the program measured, and what the referee found. Its last
# argument: how often each has its turn. That is for the samples; a referee that counts needs
# a fifth.
cat >costs.py <<'END'
import sys, threading, time
spent, found = {}, {}

def burn(name, ms):
    start = now = time.thread_time()
    while now < start + ms / 1000:
        for i in range(200):
            pass
        now = time.thread_time()
    spent[name] = spent.get(name, 0) + now - start

class Shop:
    def buy(self):
        burn("buy", 6)

def nested():
    def inner():
        burn("inner", 3)
    inner()

def generate():
    burn("generate", 1)
    yield

def main():
    for i in range(n):
        Shop().buy()
        nested()
        list(generate())

def watch(thread):
    while not stop:
        time.sleep(0.002)
        frame = sys._current_frames().get(thread)
        while frame and frame.f_code.co_name not in ("buy", "inner", "generate"):
            frame = frame.f_back
        if frame:
            name = frame.f_code.co_name
            found[name] = found.get(name, 0) + 1

stop, n = False, int(sys.argv[2])
if sys.argv[1] == "frames":
    watcher = threading.Thread(target=watch, args=(threading.get_ident(),))
    watcher.start()
    main()
    stop = True
    watcher.join()
else:
    import cProfile, pstats
    profile = cProfile.Profile(time.thread_time)
    profile.runcall(main)
    for (_, _, name), row in pstats.Stats(profile).stats.items():
        if name in ("buy", "inner", "generate"):
            found[name] = row[3]
for name in spent:
    print(name, spent[name], found.get(name, 0))
END
cat >costs.rb <<'END'
require "stackprof"
CLOCK = Process::CLOCK_PROCESS_CPUTIME_ID
SPENT = Hash.new(0.0)

def burn(name, ms)
  start = now = Process.clock_gettime(CLOCK)
  while now < start + ms / 1000.0
    i = 0
    i += 1 while i < 2000
    now = Process.clock_gettime(CLOCK)
  end
  SPENT[name] += now - start
end

class Shop
  def buy
    burn("buy", 6)
  end
end

def nested
  inner = lambda { burn("inner", 3) }
  inner.call
end

def generate
  burn("generate", 1)
  yield
end

found = StackProf.run(mode: :cpu, interval: 2000) do
  ARGV[0].to_i.times do
    Shop.new.buy
    nested
    generate { }
  end
end
names = { "buy" => "Shop#buy", "inner" => "Object#nested", "generate" => "Object#generate" }
SPENT.each do |name, s|
  frame = found[:frames].values.find { |f| f[:name] == names[name] }
  puts "#{name} #{s} #{frame ? frame[:total_samples] : 0}"
end
END
cat >costs.php <<'END'
<?php
function now() {
    $u = getrusage();
    return $u["ru_utime.tv_sec"] + $u["ru_stime.tv_sec"] +
        ($u["ru_utime.tv_usec"] + $u["ru_stime.tv_usec"]) / 1e6;
}
$spent = [];
function burn($name, $ms) {
    global $spent;
    $start = $now = now();
    while ($now < $start + $ms / 1000) {
        for ($i = 0; $i < 2000; $i++);
        $now = now();
    }
    $spent[$name] = ($spent[$name] ?? 0) + $now - $start;
}
class Shop {
    function buy() {
        burn("buy", 6);
    }
}
function nested() {
    $inner = function () { burn("inner", 3); };
    $inner();
}
function generate() {
    burn("generate", 1);
    yield 1;
}
function main() {
    global $argv;
    for ($i = 0; $i < $argv[1]; $i++) {
        (new Shop)->buy();
        nested();
        foreach (generate() as $x);
    }
}
$found = [];
if (class_exists("ExcimerProfiler")) {
    $profiler = new ExcimerProfiler;
    $profiler->setEventType(EXCIMER_CPU);
    $profiler->setPeriod(0.002);
    $profiler->start();
    main();
    $profiler->stop();
    foreach ($profiler->getLog()->aggregateByFunction() as $name => $n)
        $found[str_replace(["Shop::", "{closure:"], "", strpos($name, "{closure") === 0 ? "inner" : $name)] = $n["inclusive"];
} else
    main();
foreach ($spent as $name => $s)
    echo "$name $s ", $found[$name] ?? 0, "\n";
END

# compare SAMPLED: are the shares of costs.pb.gz, by chance, those that the program measured,
# and those of a referee, in file found? One that samples has as many signals as we, at most:
# its numbers may count the periods that one stands for.
compare() {
	prof-text --folded --sample-index=samples costs.pb.gz |
		awk -v sampled="$1" "$chance"'
		FILENAME == "found" {
			truth[$1] = $2
			theirs[$1] = $3
			all_truth += $2
			all_theirs += $3
			next
		}
		/[.:#]buy[; ]/ { ours["buy"] += $NF }
		/\.inner[; ]|Object#nested[; ]|\{closure[^;]*\}[; ]/ { ours["inner"] += $NF }
		/[;.:#]generate[; ]/ { ours["generate"] += $NF }
		END {
			for (name in truth)
				all += ours[name]
			for (name in truth) {
				a = ours[name] / all
				b = theirs[name] / all_theirs
				share = truth[name] / all_truth
				printf "%s: ours %.1f %%, theirs %.1f %%, itself %.1f %%\n", name, \
					100 * a, 100 * b, 100 * share
				n_theirs = all_theirs < all ? all_theirs : all
				variance = share * (1 - share) * (1 / all + (sampled ? 1 / n_theirs : 0))
				bad += !chance_share(ours[name] + 0, all, share, 6) ||
					!chance_normal(a - b, sqrt(variance), 6)
				n++
			}
			exit n != 3 || bad || all < 100
		}' found -
}

# merge_found COMMAND...: what the program measured in our run, and the referee in another.
merge_found() {
	mv found own
	"$@" >theirs
	awk 'FILENAME == "own" { spent[$1] = $2; next } { print $1, spent[$1], $3 }' own theirs >found
}

turns=150

# beside SAMPLED COMMAND...: the same, of a command that prints what the referee found: in
# this run (1), or, as we may disturb what it measures, in one of its own (0).
beside() {
	sampled=$1
	shift
	prof-record -q -F 500 --signal=USR2 -o costs.pb.gz "$@" $turns >found || return 2
	[ "$sampled" -eq 1 ] || merge_found "$@" $((turns / 5))
	compare "$sampled"
}

if ! seccomp sees; then
	skip_rest 'shares beside those of other profilers' 'a seccomp filter: no functions of interpreters'
fi
python=/usr/bin/python3
if [ -x $python ]; then
	live 'Python: sys._current_frames()' beside 1 $python "$PWD/costs.py" frames
	live 'Python: cProfile' beside 0 $python "$PWD/costs.py" cProfile
else
	skip 'Python' "no $python"
fi
if ruby -e 'require "stackprof"' 2>/dev/null; then
	live 'Ruby: stackprof' beside 1 ruby "$PWD/costs.rb"
else
	skip 'Ruby: stackprof' 'no stackprof'
fi
if php -n -d extension=excimer.so -r 'exit(class_exists("ExcimerProfiler") ? 0 : 1);' 2>/dev/null; then
	# Once in 40 times excimer 1.0.4 dies as it ends, recorded or not: all is printed by then.
	live 'PHP: excimer' beside 1 sh -c 'php -n -d extension=excimer.so "$0" "$1"; :' "$PWD/costs.php"
else
	skip 'PHP: excimer' 'no excimer'
fi
# with_xdebug: the parts of costs.php by its file; what is below a call counts for the caller.
with_xdebug() {
	rm -f cachegrind.out.*
	php -n -d zend_extension=xdebug.so -d xdebug.mode=profile -d xdebug.use_compression=0 \
		-d xdebug.output_dir="$PWD" costs.php $((turns / 5)) >measured &&
		awk '
		FILENAME == "measured" { s[$1] = $2; next }
		/^fn=/ { if ($2) name[$1] = $2; in_ = name[$1]; next }
		/^[0-9]/ { cost[in_ ~ /buy$/ ? "buy" : in_ ~ /^{closure/ ? "inner" : in_] += $2 }
		END { for (f in s) print f, s[f], cost[f] + 0 }' measured cachegrind.out.*
}
beside_xdebug() {
	prof-record -q -F 500 -o costs.pb.gz php -n costs.php $turns >found || return 2
	merge_found with_xdebug
	compare 0
}
if php -n -d zend_extension=xdebug.so -r 'exit(extension_loaded("xdebug") ? 0 : 1);' 2>/dev/null; then
	live 'PHP: Xdebug' beside_xdebug
else
	skip 'PHP: Xdebug' 'no Xdebug'
fi
plan
