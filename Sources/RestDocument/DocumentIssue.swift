// SPDX-License-Identifier: Apache-2.0

/// Content of a document that JSON allows, but does not define.
public struct DocumentIssue: Sendable, Hashable, CustomStringConvertible {
    /// The kind of an issue.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case duplicateKey
        }

        private let storage: Storage

        /// An object repeats a key.
        ///
        /// The last value counts.
        public static let duplicateKey = Code(storage: .duplicateKey)

        /// The name of the code.
        public var description: String { storage.rawValue }
    }

    /// The kind of the issue.
    public let code: Code
    /// The path of the value.
    public let path: DocumentPath
    /// The offset of the repeated key, in bytes from the start of the input.
    public let offset: Int

    /// The code, the path and the offset, in one line.
    public var description: String { "\(code) at \(path.abbreviated) (byte \(offset))" }
}

extension Document {
    /// Repeated keys, in document order; empty for nearly every document.
    ///
    /// The search runs at each access, so that parsing does not pay for it.
    /// ``ParseLimits/rejectsDuplicateKeys`` turns the first repetition into an error.
    ///
    /// - Complexity: O(*n* log *n*) in the number of keys, whatever they are.
    public var issues: [DocumentIssue] {
        withView { root in
            let keys = storage.repeatedKeys()
            return zip(keys, root.paths(of: keys)).map { key, path in
                DocumentIssue(
                    code: .duplicateKey, path: path, offset: root.at(key).tapeNode.offset - 1)
            }
        }
    }
}

extension DocumentStorage {
    /// Returns the indices of all keys that repeat an earlier key of the same object, in document
    /// order.
    func repeatedKeys() -> [Int] {
        var repeated: [Int] = []
        for index in 0..<nodeCount {
            let view = view(at: index)
            if view.isObject { repeated += view.repeatedKeys() }
        }
        withExtendedLifetime(self) {}
        return repeated.sorted()
    }

    /// Throws an error for the first repeated key.
    func requireDistinctKeys() throws(DocumentError) {
        guard let key = repeatedKeys().first else { return }
        let view = view(at: key)
        let offset = view.tapeNode.offset - 1
        let (line, column) = unsafe lineAndColumn(of: offset, in: bytes)
        throw DocumentError(
            .duplicateKey, offset: offset, line: line, column: column, path: view.path,
            expected: "expected a key the object does not have yet")
    }
}
