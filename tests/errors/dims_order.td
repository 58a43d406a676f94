dim M, N, M; // expect error[E0201]: `M` is given twice
dim N, K in 1..; // expect error[E0207]: expected `,` or `;`
dim M, N hint 4; // expect error[E0207]: expected `,` or `;`
