/** AssemblyScript's integer names, so that `layout.ts` compiles under both compilers. */
type i32 = number;
type f64 = number;
