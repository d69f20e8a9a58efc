// SPDX-License-Identifier: Apache-2.0

// What a type's own code sees is a DecodingError; paths are rebuilt here, when there is one.

extension DecodingRun {
    /// Why a value is not of a type: it is null, of another kind, or does not fit.
    ///
    /// - Parameters:
    ///   - type: What was asked for.
    ///   - index: The value's place.
    ///   - accepted: A kind the type is read from, so that the value's content is wrong.
    /// - Returns: The error to throw.
    @inline(never)
    func fault(
        _ type: Any.Type, at index: Int, accepts accepted: NodeKind? = nil
    ) -> DecodingError {
        failure = index
        let found = NodeKind(node(index).kind)
        let context = DecodingError.Context(
            codingPath: codingPath(of: index),
            debugDescription: "Expected \(wanted(type)), found \(found).")
        if found == .null { return .valueNotFound(type, context) }
        return found == accepted ? .dataCorrupted(context) : .typeMismatch(type, context)
    }

    /// The error of a key that is not there.
    @inline(never)
    func missing<T>(
        _ key: some CodingKey, _ type: T.Type, in object: Int
    ) -> DecodingError {
        failure = object
        return .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath(of: object),
                debugDescription: "Expected \(wanted(type)), found no such key."))
    }

    /// The error of an array that has no further element.
    @inline(never)
    func ended<T>(_ type: T.Type, array: Int, position: Int) -> DecodingError {
        failure = array
        return .valueNotFound(
            type,
            DecodingError.Context(
                codingPath: codingPath(of: array) + [DocumentKey(intValue: position)],
                debugDescription: "Expected \(wanted(type)), found the end of the array."))
    }

    /// The error of types nested too deep.
    @inline(never)
    func tooDeep(_ index: Int) -> DecodingError {
        failure = index
        return .dataCorrupted(
            DecodingError.Context(
                codingPath: codingPath(of: index),
                debugDescription: "Expected fewer types in each other.",
                underlyingError: DepthExceeded()))
    }

    /// The keys from the decoded value to one inside it.
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

/// Types are nested deeper than the decoder or encoder allows.
struct DepthExceeded: Error {}

/// What a type is read from, in words.
func wanted(_ type: Any.Type) -> String {
    if type == [String: Any].self { return "an object" }
    if type == [Any].self { return "an array" }
    if type == Never.self { return "a value" }
    return type is any FixedWidthInteger.Type ? "a whole number that fits \(type)" : "\(type)"
}

// MARK: - The border

extension DecodingRun {
    /// The error that leaves the decoder.
    func border(_ error: any Error) -> DocumentError {
        guard let error = error as? DecodingError else {
            let place = max(failure, root.index)
            return documentError(
                at: place, beyond: [], expected: "a value its type accepts", underlying: error)
        }
        switch error {
        case .typeMismatch(let type, let context):
            return documentError(context, expected: wanted(type), underlying: error)
        case .valueNotFound(let type, let context):
            return documentError(context, expected: wanted(type), underlying: error)
        case .keyNotFound(let key, let context):
            return documentError(context, key, expected: "a value", underlying: error)
        case .dataCorrupted(let context):
            if context.underlyingError is DepthExceeded {
                let limit = "at most \(decoder.depthLimit) types in each other and 256 KiB of stack"
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
        // A coding path is followed through the document, as far as it leads.
        var place = root.index
        var rest = context.codingPath + (key.map { [$0] } ?? [])
        while let step = rest.first, let next = self.place(of: step, in: place) {
            place = next
            rest.removeFirst()
        }
        return documentError(
            at: place, beyond: rest, expected: expected, underlying: underlying, code: code)
    }

    private func place(of key: any CodingKey, in index: Int) -> Int? {
        let view = view(index)
        if view.isArray {
            guard let position = key.intValue, position >= 0, position < view.count else {
                return nil
            }
            var elements = view.elements
            for _ in 0..<position { _ = elements.next() }
            return elements.next()?.index
        }
        guard view.isObject else { return nil }
        // The keys of dictionaries are not converted, so a key may also be meant as it is.
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
        let offset = view.node.offset - (view.kind.isString ? 1 : 0)
        let (line, column) = unsafe lineAndColumn(of: offset, in: view.bytes)
        let found = rest.isEmpty ? "\(NodeKind(view.kind))" : "nothing"
        return DocumentError(
            code, offset: offset, line: line, column: column, path: path,
            expected: code == .limitExceeded ? expected : "expected \(expected), found \(found)",
            underlying: underlying)
    }
}
