import "nn";
export s = softmax(f32, [M]);
