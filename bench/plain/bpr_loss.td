// Pairs of items that a user liked and did not: the margin of their scores and the mean loss.
import "nn";
export fn bpr_loss(users: f16[U, D], items: f16[I, D], u: i32[B], liked: i32[B], other: i32[B])
        -> (margin: f32[B], loss: f32[]) {
    assume 0 <= u[b] && u[b] < U;
    assume 0 <= liked[b] && liked[b] < I;
    assume 0 <= other[b] && other[b] < I;
    margin[b] = sum[d](users[u[b], d] * (items[liked[b], d] - items[other[b], d]));
    loss[] = -mean[b](logsigmoid(margin[b]));
}
check bpr_loss(U = 31, D = 13, I = 17, B = 101) with users ~ 0.3, items ~ 0.3;
bench bpr_loss(U = 300000, D = 64, I = 100003, B = 500000) with users ~ 0.3, items ~ 0.3;
