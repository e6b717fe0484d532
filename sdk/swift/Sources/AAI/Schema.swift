import Foundation

/// The first thing that is wrong with a value, beginning with the field's name; nil if nothing is.
///
/// Knows the part of JSON Schema that tools use most: `type`, `properties`, `required`, `additionalProperties`, `items`
/// and `enum`. The gateway checks all of it before it calls.
func problem(with value: Any, _ schema: JSON, _ path: String = "") -> String? {
    func said(_ what: String) -> String { path.isEmpty ? what : "\(path): \(what)" }
    let types = (schema["type"] as? [String]) ?? (schema["type"] as? String).map { [$0] } ?? []
    if !types.isEmpty && !types.contains(where: { isOf($0, value) }) {
        return said("must be \(types.joined(separator: " or ")).")
    }
    if let allowed = schema["enum"] as? [String], !allowed.contains(where: { $0 == value as? String }) {
        return said("must be one of \(allowed.joined(separator: ", ")).")
    }
    if let object = value as? JSON { return problem(withMembersOf: object, schema, path) }
    if let list = value as? [Any], let items = schema["items"] as? JSON {
        return list.enumerated().lazy.compactMap { problem(with: $1, items, "\(path)[\($0)]") }.first
    }
    return nil
}

private func problem(withMembersOf object: JSON, _ schema: JSON, _ path: String) -> String? {
    func at(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
    let properties = schema["properties"] as? JSON ?? [:]
    for name in schema["required"] as? [String] ?? [] where object[name] == nil {
        return "\(at(name)): this field is required."
    }
    for (name, member) in object.sorted(by: { $0.key < $1.key }) {
        if let known = properties[name] as? JSON {
            if let wrong = problem(with: member, known, at(name)) { return wrong }
        } else if schema["additionalProperties"] as? Bool == false {
            return "\(at(name)): there is no such field."
        }
    }
    return nil
}

private func isOf(_ type: String, _ value: Any) -> Bool {
    switch type {
    case "object": return value is JSON
    case "array": return value is [Any]
    case "string": return value is String
    case "null": return value is NSNull
    case "boolean": return isBoolean(value)
    case "integer": return !isBoolean(value) && (value as? Double).map { $0 == $0.rounded() } ?? false
    case "number": return !isBoolean(value) && value is Double
    default: return false
    }
}

/// JSONSerialization gives true and false as numbers of their own kind.
private func isBoolean(_ value: Any) -> Bool {
    if let number = value as? NSNumber { return String(cString: number.objCType) == "c" }
    return value is Bool
}
