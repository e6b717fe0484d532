/** Checks parameters and results against the part of JSON Schema that tools use most. Other keywords are left to the gateway. */

const TYPES = {
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
};

/** The first thing that is wrong, beginning with the field's name; undefined if nothing is. */
export function problemWith(value, schema, path = "") {
  const said = (what) => (path ? `${path}: ${what}` : what);
  if (schema.type !== undefined) {
    const types = [schema.type].flat();
    if (!types.some((type) => TYPES[type]?.(value))) return said(`must be ${types.join(" or ")}.`);
  }
  if (schema.enum && !schema.enum.some((one) => one === value)) return said(`must be one of ${schema.enum.join(", ")}.`);
  if (TYPES.object(value)) return problemWithMembers(value, schema, path);
  if (Array.isArray(value) && schema.items) {
    return first(value.map((item, at) => () => problemWith(item, schema.items, `${path}[${at}]`)));
  }
  return undefined;
}

function problemWithMembers(value, { properties = {}, required = [], additionalProperties }, path) {
  const at = (name) => (path ? `${path}.${name}` : name);
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${at(missing)}: this field is required.`;
  return first(
    Object.entries(value).map(([name, member]) => () => {
      if (Object.hasOwn(properties, name)) return problemWith(member, properties[name], at(name));
      if (additionalProperties === false) return `${at(name)}: there is no such field.`;
      return typeof additionalProperties === "object" ? problemWith(member, additionalProperties, at(name)) : undefined;
    }),
  );
}

function first(checks) {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}
