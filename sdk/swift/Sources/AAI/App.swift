import Foundation

/// An error of your own: it reaches the agent unchanged.
public struct AppError: Error {
    public let code: String
    public let message: String

    public init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }
}

public typealias JSON = [String: Any]

/// An app whose tools agents can call.
public final class App {
    public typealias Run = (JSON) throws -> JSON

    private struct Tool {
        let declared: JSON
        let parameters: JSON
        let returns: JSON?
        let run: Run
    }

    private let about: JSON
    private var tools: [String: Tool] = [:]
    private var names: [String] = []

    public init(id: String, name: String, description: String) {
        about = ["id": id, "name": name, "description": description]
    }

    /// `run` gets the parameters, which fit the schema, and gives the result.
    public func tool(
        _ name: String, _ description: String, parameters: JSON = noParameters, returns: JSON? = nil, run: @escaping Run
    ) {
        var declared: JSON = ["name": name, "description": description, "parameters": parameters]
        if let returns { declared["returns"] = returns }
        tools[name] = Tool(declared: declared, parameters: parameters, returns: returns, run: run)
        names.append(name)
    }

    public var descriptor: JSON {
        ["schema_version": "1.0", "app": about, "execution": ["type": "stdio"], "tools": names.compactMap { tools[$0]?.declared }]
    }

    /// The reply to one request, both as JSON text.
    public func answer(_ text: String) -> String {
        let request = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? JSON
        let id = request?["request_id"] as? String
        var reply: JSON = ["version": "1.0", "request_id": id ?? ""]
        do {
            guard let request, id != nil, let version = request["version"] as? String, version.hasPrefix("1."),
                let name = request["tool"] as? String, let params = request["params"] as? JSON
            else { throw AppError("INVALID_REQUEST", "This isn't a request of the contract.") }
            reply["result"] = try call(name, params)
            reply["status"] = "success"
        } catch {
            let told = error as? AppError ?? AppError("INTERNAL_ERROR", "The app failed.")
            if !(error is AppError) { log(String(describing: error)) }
            reply["error"] = ["code": told.code, "message": told.message]
            reply["status"] = "error"
        }
        let data = (try? JSONSerialization.data(withJSONObject: reply, options: [.withoutEscapingSlashes])) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    private func call(_ name: String, _ params: JSON) throws -> JSON {
        guard let tool = tools[name] else { throw AppError("UNKNOWN_TOOL", "There is no tool \(name).") }
        if let problem = problem(with: params, tool.parameters) { throw AppError("INVALID_PARAMS", problem) }
        let result = try tool.run(params)
        if let returns = tool.returns, let wrong = problem(with: result, returns) {
            throw Misfit(description: "the result of \(name) does not fit its schema: \(wrong)")
        }
        return result
    }
}

private struct Misfit: Error, CustomStringConvertible {
    let description: String
}

public let noParameters: JSON = ["type": "object", "properties": JSON(), "additionalProperties": false]

func log(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}
