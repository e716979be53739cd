# ruby.t - functions of Ruby in stacks: every line of every frame, and shares, against what
# the program itself saw and measured. Of ruby, and of the programs in PROF_RUBYS, if these
# are other versions.
# Slow: it samples programs for seconds.
. "${srcdir:-.}/tests/lib/tap.sh"
. "$src/tests/lib/live.sh"
. "$src/tests/lib/interp.sh"

# With $long, also those of other releases of Debian.
others ruby
rubys=
for ruby in ruby $PROF_RUBYS $others; do
	"$ruby" --disable=gems -e 'exit(%w[2.7 3.0 3.1 3.2 3.3 3.4].include?(RUBY_VERSION[/\d\.\d/]))' \
		2>/dev/null && rubys="$rubys $ruby"
done

cat >known.rb <<'END'
# Work of known cost.
SPENT = Hash.new(0.0)

def now
  Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
end

def burn(ms)
  file = File.realpath(__FILE__)
  by_c = %w[sort map each each_pair gsub times eval load call send new]
  # Ruby 3.4 says the class, and the method once where it rescues.
  names = { "buy" => "Shop#buy", "sell" => "Shop.sell",
            "method_missing" => "Shop#method_missing", "<<" => "Shop#<<" }
  frames = caller_locations.select do |l|
    l.absolute_path == file && !by_c.include?(l.label.sub(/.*[#.]/, ""))
  end
  rescues = frames.map { |l| l.label.start_with?("rescue in") }
  frames = frames.each_with_index.reject { |l, i| i > 0 && rescues[i - 1] }.map do |l, i|
    name = l.label.sub(/Object#|rescue in /, "")
    (names[name] || name) + ":" + l.lineno.to_s
  end
  key = frames.reverse.join(";")
  start = t = now
  while t < start + ms / 1000.0
    i = 0
    while i < 1000
      i += 1
    end
    i = 0
    while i < 1000
      i += 1
    end
    t = now
  end
  SPENT[key] += t - start
end

class Shop
  def buy(ms)
    burn(ms)
  end

  def self.sell(ms) burn(ms) end

  def <<(ms)
    burn(ms)
  end

  def method_missing(name, *args)
    burn(30)
  end

  define_method(:defined) do |ms|
    burn(ms)
  end
end

def nested(ms)
  inner = lambda do
    innermost = proc { burn(ms) }
    innermost.call
  end
  inner.()
end

def generate(ms)
  return to_enum(:generate, ms) unless block_given?
  burn(ms)
  yield 1
  [1, 2].each do |i|
    burn(ms)
    yield i
  end
end

def recurse(n, ms)
  return recurse(n - 1,
                 ms) if n > 0
  burn(ms)
end

def handle(ms)
  raise "x"
rescue
  burn(ms)
ensure
  burn(ms)
end

def by_c(ms)
  [2, 1].sort { |a, b| burn(ms); a <=> b }
  [ms].map(&Shop.new.method(:buy))
  { 1 => ms }.each_pair { |k, v| burn(v) }
  "x".gsub(/x/) { burn(ms); "" }
  Object.new.send(:burn, ms)
  1.times { burn(ms) }
end

def main
  shop = Shop.new
  shop.buy(150)
  Shop.sell(60); shop.anything
  shop.defined(60)
  shop << 60
  nested(60)
  generate(30) { }
  recurse(
    100, 60)
  handle(30)
  by_c(60)
  eval("burn(60)\n")
  load File.dirname(File.realpath(__FILE__)) + "/part.rb"
  Thread.new { nested(60) }.join
  [30, 30].each do |ms|
    burn(ms)
  end
end

if ARGV[0] == "brief"
  burn(200)
  exit
end
main
SPENT.each { |key, s| printf("%.6f %s\n", s, key) }
END
echo 'burn(60)' >part.rb

# in_order RUBY: C called by Ruby called by C, below the name of its method.
in_order() {
	prof-record -q -F 500 --interp=mixed -o known.pb.gz "$1" --disable=gems "$PWD/known.rb" >truth ||
		return 2
	prof-symbolize known.pb.gz -o named.pb.gz 2>/dev/null || return 2
	prof-text --folded --sample-index=samples named.pb.gz |
		awk -v ns="$(signal_ns known.pb.gz)" "$chance"'
		FILENAME == "truth" { spent += $1 * 1e9; next }
		/;Object#burn/ { all += $NF }
		/;Object#by_c;(Array#sort|Hash#each_pair|String#gsub|Integer#times);([^;]*(rb_|ruby)[^;]*;)+block in Object#by_c;Object#burn/ {
			c += $NF
		}
		/Object#burn.*Object#[^bn]/ { wrong += $NF }
		END {
			print all, "signals, through C", c + 0, "wrong", wrong + 0
			# Four methods of 60 ms call it.
			exit !(chance_count(all, spent / ns) && chance_count(c + 0, 24e7 / ns) &&
				!wrong)
		}' truth -
}

# Only blocks: a frame is made and left more often than anything else is done. Each run
# stands where its evaluator does: none is before the root, and none at another's place.
cat >blocks.rb <<'END'
def inner
  [1].each { |x| x }
end
def outer
  10.times { inner }
end
def main
  1.times do
    stop = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) + 0.6
    50.times { outer } while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < stop
  end
end
main
END
blocks() {
	prof-record -q -F 2000 --clock=perf --interp=only -o blocks.pb.gz "$1" --disable=gems \
		"$PWD/blocks.rb" || return 2
	prof-text --folded --sample-index=samples blocks.pb.gz | awk '
		{ gsub(/Object#|Integer#|blocks\./, "") }
		/;main[; ]/ { all += $NF }
		/^(<main>|main|times)/ { root += $NF }
		/;main[; ]/ && !/;<main>;main[; ]/ { wrong += $NF }
		/;inner[; ]/ && !/;main;(times;block [^;]*in main;)+outer;times;block in outer;inner[; ]/ {
			wrong += $NF
		}
		END {
			print all, "signals,", root + 0, "before the root,", wrong + 0, "elsewhere"
			exit root || wrong || all < 100
		}'
}

# Stacks that take longer to find than a period: the program goes on, and they have its
# time. By turns, as a deep one is dear and the other one is not.
cat >dear.rb <<'END'
def now
  Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
end

def deep(n)
  n == 0 ? spin : [n].each { deep(n - 1) }
end

def spin
  i = 0
  i += 1 while i < 20000
end

def flat
  spin
end
deeps = flats = 0
a = now
while deeps + flats < 1.5
  stop = now + 0.04
  deep(200) while now < stop
  b = now
  deeps += b - a
  a = b
  stop = now + 0.04
  flat while now < stop
  b = now
  flats += b - a
  a = b
end
puts "#{deeps} #{flats}"
END
dear() {
	timeout 100 prof-record -q --clock=perf -F 4000 -o dear.pb.gz "$1" --disable=gems \
		"$PWD/dear.rb" >took || return 2
	prof-text --raw dear.pb.gz | sed -n 's/.* \(lost=[0-9]*\).*\( merged.*\)/\1\2/p'
	prof-text --folded --sample-index=cpu dear.pb.gz | awk '
		FILENAME == "took" { deep = $1; all = $1 + $2; next }
		/;Object#deep/ { is_deep += $NF / 1e9 }
		/;Object#(deep|flat)/ { is_all += $NF / 1e9 }
		END {
			print is_deep + 0, "s of", deep, "in deep stacks,", is_all + 0, \
				"of", all, "in all"
			off = is_deep / is_all - deep / all
			exit off < -0.05 || off > 0.05 || is_all < 0.9 * all || \
				is_all > 1.05 * all
		}' took -
}

if [ -z "$rubys" ]; then
	skip 'functions of Ruby' 'no Ruby of 2.7 to 3.4'
	plan
	exit
fi
if ! seccomp sees; then
	skip 'functions of Ruby' 'a seccomp filter: no functions of interpreters'
	plan
	exit
fi

for ruby in $rubys; do
	version=$("$ruby" --disable=gems -e 'print RUBY_VERSION')
	live "$version: each place has its share, each frame its line" \
		truth --interp=only "$ruby" --disable=gems "$PWD/known.rb"
	live "$version: a loop has its line" lines 26 30 --interp=only "$ruby" --disable=gems \
		"$PWD/known.rb"
	live "$version: C and Ruby are in order" in_order "$ruby"
	[ "$(uname -m)" != x86_64 ] || live "$version: runs of blocks" blocks "$ruby"
done

ruby=${rubys##* }
# asleep: threads that sleep, and their callers. Since 3.3 one has to run first.
cat >sleepers.rb <<'END'
def nap
  sleep 0.5
end
def doze
  nap
end
def now
  Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
start = now
(1..500000).each { }
threads = 3.times.map { Thread.new { doze } }
join = now
threads.each(&:join)
puts "#{now - start} #{now - join}"
END
asleep() {
	prof-record -q --clock=wall -F 100 -o wall.pb.gz "$1" --disable=gems \
		"$PWD/sleepers.rb" >took || return 2
	prof-text --folded --lines --sample-index=wall wall.pb.gz |
		awk "$chance"'
		FILENAME == "took" { took = $1; joining = $2; next }
		/;Object#doze [^;]*:5;(.*;)?Object#nap [^;]*:2/ { naps += $NF / 1e7 }
		/;sleepers\.<main> [^;]*:14;/ { joins += $NF / 1e7 }
		END {
			print naps, "looks at 3 x 0.5 s asleep, of", took, "s;", joins, \
				"at", joining, "s joining"
			exit !(chance_ticks(naps, naps, 150, 300 * took, 6, 2) &&
				chance_ticks(joins, joins, 100 * joining, 100 * joining, 2, 2))
		}' took -
}
live 'threads that sleep, by the wall clock' asleep "$ruby"

# Ruby starts a thread in the native one of another that has ended.
cat >turns.rb <<'END'
def work
  clock = Process::CLOCK_THREAD_CPUTIME_ID
  stop = Process.clock_gettime(clock) + 0.02
  1 while Process.clock_gettime(clock) < stop
end
20.times { Thread.new { work }.join } # 0.4 s
END
in_turn() {
	prof-record -q -F 500 -o turns.pb.gz "$1" --disable=gems "$PWD/turns.rb" || return 2
	prof-text --folded --sample-index=cpu turns.pb.gz |
		awk -v ns="$(signal_ns turns.pb.gz)" "$chance"'
		/;Object#work/ { used += $NF }
		END {
			print used / 1e9, "of 0.4 s"
			exit !chance_ticks(used / 2e6, used / ns, 200, 220, 20)
		}'
}
live 'threads that follow each other in one' in_turn "$ruby"

live 'stacks dearer than a period' dear "$ruby"

cat >hoard.rb <<'END'
def hoard
  (1..300).map { "x" * 100000 }
end
$kept = hoard
END
allocated() {
	prof-record -q --heap=1 -o heap.pb.gz "$1" --disable=gems "$PWD/hoard.rb" || return 2
	prof-text --folded --lines --sample-index=alloc_space heap.pb.gz |
		awk '/hoard\.<main> [^;]*:4;(.*;)?Object#hoard [^;]*:2/ { n += $NF }
		END { print n; exit !(n >= 30000000 && n < 33000000) }'
}
live 'functions that allocate' allocated "$ruby"

cat >collects.rb <<'END'
def works
  20.times { GC.start }
end
def burn
  clock = Process::CLOCK_PROCESS_CPUTIME_ID
  stop = Process.clock_gettime(clock) + 0.2
  1 while Process.clock_gettime(clock) < stop
end
$kept = (0...300000).map { |i| "x#{i}" }
GC.disable
burn
GC.enable
works
END
live 'garbage collection' does 'garbage collection' "$ruby" --disable=gems "$PWD/collects.rb"

cat >workers.rb <<'END'
def work(ms)
  clock = Process::CLOCK_PROCESS_CPUTIME_ID
  stop = Process.clock_gettime(clock) + ms / 1000.0
  1 while Process.clock_gettime(clock) < stop
end
[100, 200, 300].each do |ms|
  fork { work(ms) }
end
Process.waitall
END
live 'forked workers' workers "$ruby" --disable=gems "$PWD/workers.rb"

check 'switched off' 0 "prof-record -q --interp=off -o off.pb.gz $ruby --disable=gems \\
	known.rb brief >out && prof-text --raw off.pb.gz | awk '/burn/ { n++ } END { print n + 0 }'" <<'END'
0
END

plan
