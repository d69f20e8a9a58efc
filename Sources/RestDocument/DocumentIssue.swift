// SPDX-License-Identifier: Apache-2.0

/// Something a document says that JSON allows but does not give a meaning.
public struct DocumentIssue: Sendable, Hashable, CustomStringConvertible {
    /// What kind of doubt it is.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case duplicateKey
        }

        private let storage: Storage

        /// An object repeats a key; the value written last counts.
        public static let duplicateKey = Code(storage: .duplicateKey)

        /// The code's name.
        public var description: String { storage.rawValue }
    }

    /// What kind of doubt it is.
    public let code: Code
    /// The value it is about.
    public let path: DocumentPath
    /// Where the repetition is written, in bytes from the start of the input.
    public let offset: Int

    /// The code and the place, in one line.
    public var description: String { "\(code) at \(path.abbreviated) (byte \(offset))" }
}

extension Document {
    /// Repeated keys, in document order; empty for nearly every document.
    ///
    /// Looked for when asked, so that parsing does not pay for it.
    /// ``ParseLimits/rejectsDuplicateKeys`` makes the first one an error instead.
    ///
    /// - Complexity: O(*n* log *n*) in the number of keys, whatever they are.
    public var issues: [DocumentIssue] {
        withView { root in
            let keys = storage.repeatedKeys()
            return zip(keys, root.paths(of: keys)).map { key, path in
                DocumentIssue(
                    code: .duplicateKey, path: path, offset: root.at(key).node.offset - 1)
            }
        }
    }
}

extension DocumentStorage {
    /// Indices of all keys that repeat one of the same object, in document order.
    func repeatedKeys() -> [Int] {
        var repeated: [Int] = []
        for index in 0..<nodeCount {
            let view = view(at: index)
            if view.isObject { repeated += view.repeatedKeys() }
        }
        withExtendedLifetime(self) {}
        return repeated.sorted()
    }

    /// Refuses the first repeated key.
    func requireDistinctKeys() throws(DocumentError) {
        guard let key = repeatedKeys().first else { return }
        let view = view(at: key)
        let offset = view.node.offset - 1
        let (line, column) = unsafe lineAndColumn(of: offset, in: bytes)
        throw DocumentError(
            .duplicateKey, offset: offset, line: line, column: column, path: view.path,
            expected: "expected a key the object does not have yet")
    }
}
