// How many points of a scan lie in each voxel of a grid, and the highest of each column.
export fn voxel_counts(p: f32[N, 3]) -> (n: i32[X, Y, Z], top: f32[X, Y]) {
    require X >= 1 && Y >= 1 && Z >= 1;
    let i[k] = clamp(i32(floor(p[k, 0] * X)), 0, X - 1);
    let j[k] = clamp(i32(floor(p[k, 1] * Y)), 0, Y - 1);
    n[i[k], j[k], clamp(i32(floor(p[k, 2] * Z)), 0, Z - 1)] += 1;
    top[i[k], j[k]] max= p[k, 2];
}
check voxel_counts(N = 501, X = 7, Y = 5, Z = 3) with p in 0.0..1.0;
bench voxel_counts(N = 5000003, X = 400, Y = 352, Z = 10) with p in 0.0..1.0;
