// SPDX-License-Identifier: Apache-2.0

// A `Decodable` type receives a `DecodingError`. Paths are computed only when an error occurs.

extension DecodingSession {
    /// Returns the error for a value that is null, of another kind, or out of range.
    ///
    /// - Parameters:
    ///   - type: The expected type.
    ///   - index: The index of the value.
    ///   - accepted: A kind that the type is decoded from; a value of this kind has unusable
    ///     content.
    /// - Returns: The error to throw.
    @inline(never)
    func mismatch(
        _ type: Any.Type, at index: Int, accepts accepted: NodeKind? = nil
    ) -> DecodingError {
        failure = index
        let found = NodeKind(node(index).kind)
        let context = DecodingError.Context(
            codingPath: codingPath(of: index),
            debugDescription: "Expected \(expectedDescription(type)), found \(found).")
        if found == .null { return .valueNotFound(type, context) }
        return found == accepted ? .dataCorrupted(context) : .typeMismatch(type, context)
    }

    /// Returns the error for a missing key.
    @inline(never)
    func missing<T>(
        _ key: some CodingKey, _ type: T.Type, in object: Int
    ) -> DecodingError {
        failure = object
        return .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath(of: object),
                debugDescription: "Expected \(expectedDescription(type)), found no such key."))
    }

    /// Returns the error for an array without further elements.
    @inline(never)
    func ended<T>(_ type: T.Type, array: Int, position: Int) -> DecodingError {
        failure = array
        return .valueNotFound(
            type,
            DecodingError.Context(
                codingPath: codingPath(of: array) + [DocumentKey(intValue: position)],
                debugDescription:
                    "Expected \(expectedDescription(type)), found the end of the array."))
    }

    /// Returns the error for types nested too deeply.
    @inline(never)
    func tooDeep(_ index: Int) -> DecodingError {
        failure = index
        return .dataCorrupted(
            DecodingError.Context(
                codingPath: codingPath(of: index),
                debugDescription: "Expected fewer nested types.",
                underlyingError: DepthExceeded()))
    }

    /// Returns the coding path from the decoded value to a value inside it.
    func codingPath(of index: Int) -> [any CodingKey] {
        if index < 0 {
            let member = absentMember(index)
            return codingPath(of: member.object) + [member.key]
        }
        let components = visitedPath(of: index) ?? root.paths(of: [index])[0].components
        return components.map { component in
            switch component {
            case .index(let position): DocumentKey(intValue: position)
            case .key(let key): DocumentKey(stringValue: keyConversion?.convert(key) ?? key)
            }
        }
    }
}

/// An error that indicates types nested deeper than the decoder or encoder allows.
struct DepthExceeded: Error {}

/// Returns a description of the values that a type is decoded from.
func expectedDescription(_ type: Any.Type) -> String {
    if type == [String: Any].self { return "an object" }
    if type == [Any].self { return "an array" }
    if type == Never.self { return "a value" }
    return type is any FixedWidthInteger.Type ? "a whole number that fits \(type)" : "\(type)"
}

// MARK: - Public errors

extension DecodingSession {
    /// Returns the public error for an error of a `Decodable` type.
    func documentError(wrapping error: any Error) -> DocumentError {
        guard let error = error as? DecodingError else {
            let index = max(failure, root.index)
            return documentError(
                at: index, beyond: [], expected: "a value its type accepts", underlying: error)
        }
        switch error {
        case .typeMismatch(let type, let context):
            return documentError(context, expected: expectedDescription(type), underlying: error)
        case .valueNotFound(let type, let context):
            return documentError(context, expected: expectedDescription(type), underlying: error)
        case .keyNotFound(let key, let context):
            return documentError(context, key, expected: "a value", underlying: error)
        case .dataCorrupted(let context):
            if context.underlyingError is DepthExceeded {
                let limit = "at most \(decoder.depthLimit) nested types and 256 KiB of stack"
                return documentError(
                    context, expected: limit, underlying: nil, code: .limitExceeded)
            }
            return documentError(context, expected: "a value its type accepts", underlying: error)
        @unknown default:
            return documentError(
                at: max(failure, root.index), beyond: [], expected: "a value its type accepts",
                underlying: error)
        }
    }

    private func documentError(
        _ context: DecodingError.Context, _ key: (any CodingKey)? = nil, expected: String,
        underlying: (any Error)?, code: DocumentError.Code = .notDecodable
    ) -> DocumentError {
        // Follow the coding path through the document as far as it exists.
        var index = root.index
        var rest = context.codingPath + (key.map { [$0] } ?? [])
        while let step = rest.first, let next = self.index(of: step, in: index) {
            index = next
            rest.removeFirst()
        }
        return documentError(
            at: index, beyond: rest, expected: expected, underlying: underlying, code: code)
    }

    private func index(of key: any CodingKey, in container: Int) -> Int? {
        let view = view(container)
        if view.isArray {
            guard let position = key.intValue, position >= 0, position < view.count else {
                return nil
            }
            var elements = view.elements
            for _ in 0..<position { _ = elements.next() }
            return elements.next()?.index
        }
        guard view.isObject else { return nil }
        // Keys of dictionaries are not converted, so the unconverted key matches as well.
        var found: Int?
        for member in view.members {
            let written = member.key.string() ?? ""
            if written == key.stringValue || self.key(member.key) == key.stringValue {
                found = member.value.index
            }
        }
        return found
    }

    private func documentError(
        at index: Int, beyond rest: [any CodingKey], expected: String,
        underlying: (any Error)?, code: DocumentError.Code = .notDecodable
    ) -> DocumentError {
        let view = view(index)
        var path = view.path
        for key in rest {
            path.components.append(
                view.isArray
                    ? key.intValue.map { .index($0) } ?? .key(key.stringValue)
                    : .key(key.stringValue))
        }
        let offset = view.tapeNode.offset - (view.kind.isString ? 1 : 0)
        let (line, column) = unsafe lineAndColumn(of: offset, in: view.bytes)
        let found = rest.isEmpty ? "\(NodeKind(view.kind))" : "nothing"
        return DocumentError(
            code, offset: offset, line: line, column: column, path: path,
            expected: code == .limitExceeded ? expected : "expected \(expected), found \(found)",
            underlying: underlying)
    }
}
