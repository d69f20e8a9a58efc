// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument

/// The requests in the body of a batch, and their answers.
///
/// - Source: OData JSON Format 4.01 §19.
extension SimulatedRequest {
    /// The parts by their IDs; `nil` if the body has none.
    ///
    /// The credentials of the request are those of its parts.
    var batchParts: [(id: String, request: SimulatedRequest)]? {
        guard let items = document?.root["requests"], items.kind == .array else { return nil }
        return items.elements.compactMap { item in
            guard let id = item["id"]?.string, let method = item["method"]?.string,
                let target = item["url"]?.string, let method = HTTPRequest.Method(method)
            else { return nil }
            var fields: HTTPFields = [:]
            fields[.authorization] = headerFields[.authorization]
            for (name, value) in item["headers"].map({ Array($0.members) }) ?? [] {
                if let name = HTTPField.Name(name) { fields[name] = value.string }
            }
            var body: [UInt8] = []
            if let content = item["body"] {
                body = Array(JSONWriter.compact.bytes(of: SimulatedResources.document(content)))
            }
            return (
                id,
                SimulatedRequest(
                    method: method, target: target, headerFields: fields, body: body)
            )
        }
    }
}

extension SimulatedAnswer {
    /// Returns the answer as a part of that to a batch.
    func part(_ id: String) -> Document {
        var members: [(String, Document)] = [
            ("id", .string(id)), ("status", .number(status)),
            (
                "headers",
                .object(headerFields.map { ($0.name.rawName, Document.string($0.value)) })
            ),
        ]
        if let content = try? Document(parsing: body) { members.append(("body", content)) }
        return .object(members)
    }
}
