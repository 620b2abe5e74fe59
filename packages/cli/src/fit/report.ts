export async function reportPage(_: unknown): Promise<string> {
  return "";
}
