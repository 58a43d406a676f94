import "norm";
export e = layer_norm(T = f32, B = [M], act = nosuch);
