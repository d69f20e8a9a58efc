// SPDX-License-Identifier: Apache-2.0

/// The containers around the current position of a stream, and the expected continuation.
///
/// The envelope knows the grammar and the path to the array of elements, but no bytes and no
/// values. It has one entry for each open container.
struct Envelope {
    /// The expected continuation.
    enum Expectation {
        case value
        /// A value, or the end of the array.
        case firstValue
        case key
        /// A key, or the end of the object.
        case firstKey
        case colon
        /// A comma, or the end of the container.
        case separator
        /// The end of the text, as the outermost value is complete.
        case end
    }

    /// An open container.
    private struct Level {
        let isObject: Bool
        /// The number of complete elements, or of begun members.
        var count = 0
        /// The start of its current key in `keys`, which ends at the start of the next level's key.
        let keyStart: Int
    }

    /// The expected continuation.
    private(set) var expectation = Expectation.value

    private let targetPath: [DocumentPath.Component]
    private let limits: ParseLimits
    private var levels: [Level] = []
    /// The current keys of all open objects, concatenated.
    private var keys: [UInt8] = []
    /// The number of path components that lead to the current position, from the outermost on.
    private var matched = 0
    /// The number of path components that were ever matched.
    private var found = 0

    /// The maximum number of bytes of a key that are kept for error paths.
    private static let keptKeyByteCount = 1 << 10

    init(path: DocumentPath, limits: ParseLimits) {
        targetPath = path.components
        self.limits = limits
    }

    /// The number of open containers.
    var depth: Int { levels.count }

    /// A Boolean value that indicates whether the innermost open container is an object.
    var isInObject: Bool { levels.last?.isObject == true }

    /// A Boolean value that indicates whether the next value is one of the elements.
    var isAtElement: Bool { matched == targetPath.count && levels.count == matched + 1 }

    /// A Boolean value that indicates whether the path leads to or through the next value.
    var isOnTargetPath: Bool { levels.count == matched }

    /// The path of the current value.
    var path: DocumentPath {
        var components: [DocumentPath.Component] = []
        for (position, level) in levels.prefix(512).enumerated() {
            let isLast = position == levels.count - 1
            if level.isObject {
                if isLast, expectation != .colon, expectation != .value { break }
                let end = isLast ? keys.count : levels[position + 1].keyStart
                components.append(
                    .key(String(decoding: keys[level.keyStart..<end], as: UTF8.self)))
            } else {
                let isComplete = isLast && expectation == .separator
                components.append(.index(isComplete ? max(level.count - 1, 0) : level.count))
            }
        }
        return DocumentPath(components)
    }
}

extension Envelope {
    /// Records the beginning of a value, and matches its position with the path.
    mutating func beginValue() {
        guard let level = levels.last, !level.isObject, levels.count - 1 == matched,
            matched < targetPath.count, targetPath[matched] == .index(level.count)
        else { return }
        matched += 1
        found = matched
    }

    /// Enters a container.
    ///
    /// - Throws: ``DocumentError/Code/missingArray`` if the path requires another kind.
    mutating func openContainer(isObject: Bool) throws(DocumentError) {
        if isOnTargetPath {
            var hasExpectedKind = !isObject
            if matched < targetPath.count, case .key = targetPath[matched] {
                hasExpectedKind = isObject
            }
            guard hasExpectedKind else { throw missingArray() }
        }
        levels.append(Level(isObject: isObject, keyStart: keys.count))
        expectation = isObject ? .firstKey : .firstValue
    }

    /// Records that a scalar is complete.
    ///
    /// - Throws: ``DocumentError/Code/missingArray`` if the path leads to it.
    mutating func completeScalar() throws(DocumentError) {
        if isOnTargetPath { throw missingArray() }
        completeValue()
    }

    /// Leaves the innermost container.
    ///
    /// - Throws: ``DocumentError/Code/missingArray`` if the next path component was not found
    ///   inside.
    mutating func closeContainer() throws(DocumentError) {
        if levels.count - 1 == matched, matched < targetPath.count, found == matched {
            expectation = isInObject ? .key : .separator
            throw missingArray()
        }
        guard let level = levels.popLast() else { return }
        keys.removeSubrange(level.keyStart...)
        completeValue()
    }

    /// Moves to the next member or element.
    mutating func consumeSeparator() {
        expectation = isInObject ? .key : .value
    }

    /// Reads the key of a member.
    ///
    /// - Parameter append: A closure that appends the text of the key.
    /// - Throws: ``DocumentError/Code/duplicateKey`` if the path matches two members, or
    ///   ``DocumentError/Code/limitExceeded`` if there are too many members.
    mutating func consumeKey(_ append: (inout [UInt8]) -> Void) throws(DocumentError) {
        let last = levels.count - 1
        let start = levels[last].keyStart
        levels[last].count += 1
        guard levels[last].count <= limits.memberCount else {
            throw error(.members)
        }
        keys.removeSubrange(start...)
        append(&keys)
        expectation = .colon
        if last == matched, last < targetPath.count, case .key(let name) = targetPath[last],
            name.utf8.elementsEqual(keys[start...])
        {
            guard found == last else {
                throw DocumentError(
                    .duplicateKey, offset: 0,
                    expected: "expected one value at \(DocumentPath(targetPath).abbreviated)")
            }
            matched += 1
            found = matched
        }
        if keys.count - start > Self.keptKeyByteCount {
            var end = start + Self.keptKeyByteCount
            // Do not split a character.
            while keys[end] & 0xC0 == 0x80 { end -= 1 }
            keys.removeSubrange(end...)
        }
    }

    /// Moves from a key to its value.
    mutating func consumeColon() {
        expectation = .value
    }

    mutating func completeValue() {
        if let last = levels.indices.last, !levels[last].isObject { levels[last].count += 1 }
        if matched > 0, isOnTargetPath { matched -= 1 }
        expectation = levels.isEmpty ? .end : .separator
    }
}

// MARK: - Errors

extension Envelope {
    /// The failure for input other than the expected continuation.
    var failure: ParseFailure {
        switch expectation {
        case .value, .firstValue: .value
        case .key, .firstKey: .key
        case .colon: .colon
        case .separator: .separator
        case .end: .trailing
        }
    }

    /// Returns the error for a failure at the next byte.
    func error(_ failure: ParseFailure) -> DocumentError {
        let (code, expected) = failure.diagnosis(at: 0, isInObject: isInObject, limits: limits)
        return DocumentError(code, offset: 0, expected: expected)
    }

    private func missingArray() -> DocumentError {
        DocumentError(
            .missingArray, offset: 0,
            expected: targetPath.isEmpty
                ? "expected an array"
                : "expected an array at \(DocumentPath(targetPath).abbreviated)")
    }
}
