import "nn";
export s = softmax(T = i32, B = [M]);
