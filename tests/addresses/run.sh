#!/bin/bash
# Where a thread's elements are tested one by one and lengths are unsaid, an offset is made once (td_pin); where lengths
# are known, and in a loop in which nothing is tested, it is left as it is (lower_access.c says why). What registers add,
# so many times a length that is not known, is told apart from it (td_moved). A place for which a thread divides is made
# in words that wrap, and quotients that several accesses have are made once (offset_wraps, put_quotients). A
# version that is for addresses of any kind has an instance of its own for those that are not aligned (lower_general.c).
cd "$(dirname "$0")/../.." || exit 1
. tests/suite.sh
tdc=${TDC:-build/tdc}
passed=0 failed=0

# NAME PATTERN EXPECTED: whether the text of NAME's kernels has the pattern, 1 or 0
holds() {
    local found=0
    grep -qE "$2" "$dir/$1.cu" && found=1
    if [ "$found" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$1: $2: found $found, expected $3"
    fi
}

cat >"$dir/resize.td" <<'END'
export fn f(x: f16[N, C, H, W]) -> (y: f16[N, C, 2*H, 2*W]) { y[b0, b1, i, j] = x[b0, b1, i / 2, j / 2]; }
END
cat >"$dir/resize.txt" <<'END'
program f
  y: b0b1 = grid; i = grid reg(4) thread(4); j = grid thread(32) vec(4)
END
cat >"$dir/sums.td" <<'END'
import "linalg";
export fn g(x: f32[M, N]) -> (y: f32[M, N]) { y = cumsum(x); }
END
cat >"$dir/sums.txt" <<'END'
program g
  y: b0 = grid warp(2); n = serial warp(8) reg(8) lane(32) vec(4)
END
cat >"$dir/heads.td" <<'END'
export fn k(x: f16[B, S, H, D], z: f16[B, S, H, D]) -> (y: f16[B, H, S, D]) {
    let m[b, h, s] = sum[d](x[b, s, h, d]);
    y[b, h, s, d] = (x[b, s, h, d] - m[b, h, s]) * z[b, s, h, d];
}
END
cat >"$dir/heads.txt" <<'END'
program k
  y: bhs = grid warp(4); d = reg(2) lane(32)
END
echo 'export fn l(x: f32[M, N]) -> (y: f32[M]) { y[i] = sum[j](x[i, j]); }' >"$dir/lanes.td"
printf 'program l\n  y: i = grid reg(4) warp(4); j = lane(32) vec(4)\n' >"$dir/lanes.txt"
cat >"$dir/turned.td" <<'END'
export fn h(x: bf16[M, N]) -> (y: bf16[N, M]) { y[j, i] = x[i, j]; }
END
cat >"$dir/turned.txt" <<'END'
program h
  y: j = grid warp(8); i = grid reg(4) lane(32)
END
cat >"$dir/gather.kernel" <<'END'
program gather
  dim V
  dim D
  dim N
  in w: f32[V, D]
  in ids: i32[N]
  out y: f32[N, D]

when D <= 64 {
  kernel short
    where D <= 64
    axis k = N
    axis d = D
    layout main
      k = grid warp(4) vec(2)
      d = reg(2) lane(32)
  {
    i0 = load ids[k]
    w0 = load w[i64(i0), d]
    store y[k, d] = w0
  }
} else {
  kernel long
    axis k = N
    axis d = D
    layout main
      k = grid
      d = grid warp(4) lane(32)
  {
    i0 = load ids[k]
    w0 = load w[i64(i0), d]
    store y[k, d] = w0
  }
}
END
sed 's/when D <= 64/when D <= 64 \&\& aligned()/' "$dir/gather.kernel" >"$dir/aligned.kernel"
"$tdc" "$dir/gather.kernel" --prefix=g -o "$dir/gather.cu" && "$tdc" "$dir/aligned.kernel" --prefix=g -o "$dir/aligned.cu" || failed=1
"$tdc" "$dir/heads.td" --schedules="$dir/heads.txt" -DD=64 -Wno-perf -o "$dir/heads.cu" || failed=1
"$tdc" "$dir/turned.td" --schedules="$dir/turned.txt" -Wno-perf -o "$dir/rows.cu" &&
    "$tdc" "$dir/turned.td" --schedules="$dir/turned.txt" -D{M=512,N=64} -Wno-perf -o "$dir/fixed.cu" || failed=1
"$tdc" "$dir/resize.td" --schedules="$dir/resize.txt" -Wno-perf -o "$dir/unsaid.cu" &&
    "$tdc" "$dir/resize.td" --schedules="$dir/resize.txt" -D{N=32,C=320,H=64,W=64} -Wno-perf -o "$dir/known.cu" &&
    "$tdc" "$dir/sums.td" --schedules="$dir/sums.txt" -Wno-perf -o "$dir/sums.cu" || failed=1
holds unsaid 'x_at(_2)? = arg\.x \+ (\(I\)\()?td_pin\(' 1
holds known 'td_pin' 0
holds sums 'td_pin' 0
holds rows 'td_load.*td_moved\(x_at, N, i_reg \* 32\)' 1
holds rows 'td_store.*td_moved' 0
holds fixed 'td_moved' 0
holds heads 'quotient = td_div_by\(' 1
holds heads 'x_at(_2)? = arg\.x \+ \(I\)\(\(-?\(td_wrap<I>\)' 1
holds heads 'int64_t\).*(quotient|td_div_by)' 0
# whether a lane has another row is asked once for all registers, whose shuffles run side by side
"$tdc" "$dir/lanes.td" --schedules="$dir/lanes.txt" -Wno-perf -o "$dir/lanes.cu" || failed=1
grep -A 2 'if (d >> lane_bits == 0)' "$dir/lanes.cu" | tr -d '\n' >"$dir/once.cu"
holds once 'lane_bits == 0\) \{#pragma unroll +for \(int i_reg' 1
holds gather 'g_gather_short<1, int>, g_gather_short<0, int>,' 1
holds aligned 'g_gather_short<0' 0
holds aligned 'return g_gather_long_launch' 1
echo "$passed passed, $failed failed"
[ $failed = 0 ]
