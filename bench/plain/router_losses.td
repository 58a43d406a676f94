// The balance loss of a router (share of tokens times mean probability, over experts), its z-loss, and the shares.
import "nn";
export fn router_losses(x: f32[T, E]) -> (balance: f32[], z: f32[], share: f32[E]) {
    let p = softmax(x);
    let best[t] = argmax[e](x[t, e]);
    share[e] = mean[t](if best[t] == e then 1.0 else 0.0);
    let q[e] = mean[t](p[t, e]);
    balance[] = E * sum[e](share[e] * q[e]);
    z[] = mean[t](lse[e](x[t, e]) ** 2);
}
check router_losses(T = 101, E = 12);
bench router_losses(T = 262147, E = 64);
