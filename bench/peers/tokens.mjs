// How many tokens a model reads: one JSON string a line in, a number out.
import { createInterface } from "node:readline";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

for await (const line of createInterface({ input: process.stdin })) console.log(encode(JSON.parse(line)).length);
