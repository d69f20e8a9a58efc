// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDocument

/// The location of a value about a list in the response for one of its pages.
///
/// ```swift
/// let locations: [PageValue] = [
///     .body("meta.total"), .headerField("X-Total-Count"), .lastObject("id"),
/// ]
/// ```
public struct PageValue: Sendable, Hashable {
    private enum Storage: Sendable, Hashable {
        case body(DocumentPath)
        case headerField(String)
        case lastObject(DocumentPath)
    }

    private let storage: Storage

    /// Returns a location in the body.
    ///
    /// - Parameter path: The path from the root of the document.
    /// - Returns: The location.
    public static func body(_ path: DocumentPath) -> PageValue {
        PageValue(storage: .body(path))
    }

    /// Returns the location of a header field.
    ///
    /// - Parameter name: The name of the field, compared without regard to case.
    /// - Returns: The location.
    public static func headerField(_ name: String) -> PageValue {
        PageValue(storage: .headerField(name))
    }

    /// Returns a location in the representation of the page's last object.
    ///
    /// - Parameter path: The path from the object.
    /// - Returns: The location.
    public static func lastObject(_ path: DocumentPath) -> PageValue {
        PageValue(storage: .lastObject(path))
    }

    /// The name of the header field; `nil` for a location in the body.
    var headerFieldName: HTTPField.Name? {
        if case .headerField(let name) = storage { HTTPField.Name(name) } else { nil }
    }

    /// The error in the location; `nil` if it is valid.
    var diagnostic: String? {
        guard case .headerField(let name) = storage, HTTPField.Name(name) == nil else { return nil }
        return "\"\(name)\" is not the name of a header field"
    }
}

// MARK: - Reading

extension PageValue {
    /// A value of a header field or of a document.
    private enum Found {
        case text(String)
        case node(Node)
    }

    /// Returns the string or number at the location, as text.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - meaning: The meaning of the value, for the error.
    /// - Returns: The text; `nil` for null, an empty string, `false` and an absent value.
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/mappingFailed`` and the path
    ///   if the value is of another kind.
    func text(
        in response: ObjectResponse, as meaning: String
    ) throws(NetworkingError) -> String? {
        switch found(in: response) {
        case nil:
            return nil
        case .text(let text):
            return text.isEmpty ? nil : text
        case .node(let node):
            if node.isNull || node.bool == false { return nil }
            guard let text = node.string ?? node.numberText else {
                throw response.error(
                    .mappingFailed, stage: .pagination, path: node.path,
                    causes: ["\(meaning) is text or a number; found \(node.kind)"])
            }
            return text.isEmpty ? nil : text
        }
    }

    /// Returns the cursor at the location.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - allowsContainers: A Boolean value that indicates whether the cursor can be an array or an
    ///     object.
    /// - Returns: The cursor; `nil` for null, an empty string, `false`, an empty container and an
    ///   absent value.
    /// - Throws: ``NetworkingError``, as ``text(in:as:)`` does.
    func cursor(
        in response: ObjectResponse, allowsContainers: Bool
    ) throws(NetworkingError) -> PageCursor? {
        if case .node(let node) = found(in: response) {
            switch node.kind {
            case .number: return node.numberText.map { .json($0) }
            case .array where allowsContainers, .object where allowsContainers:
                return node.count == 0 ? nil : .json(JSONWriter.compact.text(of: node))
            default: break
            }
        }
        return try text(in: response, as: "the cursor").map { .text($0) }
    }

    /// Returns the count at the location; `nil` if there is no whole number from 0.
    func count(in response: ObjectResponse) -> Int? {
        let count: Int?
        switch found(in: response) {
        case nil: count = nil
        case .text(let text): count = Int(text)
        case .node(let node):
            count = node.int64.map(Int.init(clamping:)) ?? node.string.flatMap { Int($0) }
        }
        return count.flatMap { $0 < 0 ? nil : $0 }
    }

    /// Returns a Boolean value that indicates whether the value is other than `false`, 0, null and
    /// absent.
    func isTrue(in response: ObjectResponse) -> Bool {
        switch found(in: response) {
        case nil: false
        case .text(let text): !["", "0", "false"].contains(text.lowercased())
        case .node(let node):
            switch node.kind {
            case .null: false
            case .boolean: node.bool == true
            case .number: node.double != 0
            case .string: !["", "0", "false"].contains(node.string?.lowercased())
            case .array, .object: node.count > 0
            }
        }
    }

    private func found(in response: ObjectResponse) -> Found? {
        switch storage {
        case .body(let path):
            return response.document?.root[path].map { .node($0) }
        case .headerField(let name):
            let value = HTTPField.Name(name).flatMap { response.head.headerFields[$0] }
            return value.map { .text($0) }
        case .lastObject(let path):
            return response.lastRepresentation?[path].map { .node($0) }
        }
    }
}

extension ObjectResponse {
    /// The representation of the last object; `nil` if there are no objects.
    fileprivate var lastRepresentation: Node? {
        guard let node = matches.last?.representation else { return nil }
        return node.kind == .array ? node[node.count - 1] : node
    }
}
