export function ensureRedis(): string;
