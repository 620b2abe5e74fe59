export function ensurePython(): { readonly python?: string; readonly missing?: string };
