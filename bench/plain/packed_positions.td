// Positions within documents that are packed into rows, from where they end, and how many there are in each row.
export fn packed_positions(ids: i32[B, S], end: i32) -> (pos: i32[B, S], doc: i32[B, S], n: i32[B]) {
    let start[b, i in S] = max[k where k < i](if ids[b, k] == end then k + 1 else 0);
    pos[b, i] = i32(i - max(start[b, i], 0));
    doc[b, i] = sum[k where k < i](ids[b, k] == end);
    n[b] = 1 + sum[k](ids[b, k] == end);
}
check packed_positions(B = 3, S = 131, end = 2);
bench packed_positions(B = 1024, S = 8192, end = 2);
