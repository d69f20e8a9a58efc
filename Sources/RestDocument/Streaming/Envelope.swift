// SPDX-License-Identifier: Apache-2.0

/// What is open around the place where a stream is being read, and what has to come next.
///
/// It knows grammar and the way to the array of elements, and nothing of bytes. It holds one entry
/// for each open container, so it is as deep as the limits allow, and no value.
struct Envelope {
    /// What has to come next.
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
        /// Nothing: the outermost value is complete.
        case end
    }

    /// An open container.
    private struct Level {
        let isObject: Bool
        /// Elements that are complete, or members that have begun.
        var count = 0
        /// Where its current key begins in `keys`; it ends where the next level's begins.
        let keyStart: Int
    }

    /// What has to come next.
    private(set) var expectation = Expectation.value

    private let route: [DocumentPath.Component]
    private let limits: ParseLimits
    private var levels: [Level] = []
    /// The current keys of all open objects, one after the other.
    private var keys: [UInt8] = []
    /// How many steps of the route lead to the place, from the outermost on.
    private var matched = 0
    /// How many steps of the route were ever found.
    private var found = 0

    /// Bytes of a key that are kept to name a place.
    private static let shownKeyCount = 1 << 10

    init(path: DocumentPath, limits: ParseLimits) {
        route = path.components
        self.limits = limits
    }

    /// How many containers are open.
    var depth: Int { levels.count }

    /// Whether the innermost open container is an object.
    var isInObject: Bool { levels.last?.isObject == true }

    /// Whether the next value is one of the elements.
    var isAtElement: Bool { matched == route.count && levels.count == matched + 1 }

    /// Whether the route leads to the next value, or through it.
    var isOnRoute: Bool { levels.count == matched }

    /// The way to the value being read.
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
                let isBehind = isLast && expectation == .separator
                components.append(.index(isBehind ? max(level.count - 1, 0) : level.count))
            }
        }
        return DocumentPath(components)
    }
}

extension Envelope {
    /// Notes that a value begins, and whether the route leads there.
    mutating func beginValue() {
        guard let level = levels.last, !level.isObject, levels.count - 1 == matched,
            matched < route.count, route[matched] == .index(level.count)
        else { return }
        matched += 1
        found = matched
    }

    /// Goes into a container.
    ///
    /// - Throws: ``DocumentError/Code/missingArray`` when the route leads to another kind.
    mutating func open(isObject: Bool) throws(DocumentError) {
        if isOnRoute {
            var isFitting = !isObject
            if matched < route.count, case .key = route[matched] { isFitting = isObject }
            guard isFitting else { throw missingArray() }
        }
        levels.append(Level(isObject: isObject, keyStart: keys.count))
        expectation = isObject ? .firstKey : .firstValue
    }

    /// Notes that a value which is no container is complete.
    ///
    /// - Throws: ``DocumentError/Code/missingArray`` when the route leads to it.
    mutating func scalar() throws(DocumentError) {
        if isOnRoute { throw missingArray() }
        completeValue()
    }

    /// Notes that a value is complete that was read as a whole: an element, or one off the route.
    mutating func whole() {
        completeValue()
    }

    /// Goes out of the innermost container.
    ///
    /// - Throws: ``DocumentError/Code/missingArray`` when the route should have gone on inside.
    mutating func close() throws(DocumentError) {
        if levels.count - 1 == matched, matched < route.count, found == matched {
            expectation = isInObject ? .key : .separator
            throw missingArray()
        }
        guard let level = levels.popLast() else { return }
        keys.removeSubrange(level.keyStart...)
        completeValue()
    }

    /// Goes on to the next member or element.
    mutating func separate() {
        expectation = isInObject ? .key : .value
    }

    /// Takes the key of a member.
    ///
    /// - Parameter append: Appends the key's text.
    /// - Throws: ``DocumentError/Code/duplicateKey`` when the route could go on in two members, or
    ///   that there are too many of them.
    mutating func key(_ append: (inout [UInt8]) -> Void) throws(DocumentError) {
        let last = levels.count - 1
        let start = levels[last].keyStart
        levels[last].count += 1
        guard levels[last].count <= limits.memberCount else {
            throw error(.members)
        }
        keys.removeSubrange(start...)
        append(&keys)
        expectation = .colon
        if last == matched, last < route.count, case .key(let name) = route[last],
            name.utf8.elementsEqual(keys[start...])
        {
            guard found == last else {
                throw DocumentError(
                    .duplicateKey, offset: 0,
                    expected: "expected \(DocumentPath(route).abbreviated) to be one place")
            }
            matched += 1
            found = matched
        }
        if keys.count - start > Self.shownKeyCount {
            var end = start + Self.shownKeyCount
            // A character stays whole.
            while keys[end] & 0xC0 == 0x80 { end -= 1 }
            keys.removeSubrange(end...)
        }
    }

    /// Notes the colon behind a key.
    mutating func colon() {
        expectation = .value
    }

    private mutating func completeValue() {
        if let last = levels.indices.last, !levels[last].isObject { levels[last].count += 1 }
        if matched > 0, isOnRoute { matched -= 1 }
        expectation = levels.isEmpty ? .end : .separator
    }
}

// MARK: - Mistakes

extension Envelope {
    /// What is wrong when what comes next is not what has to.
    var fault: ParseFault {
        switch expectation {
        case .value, .firstValue: .value
        case .key, .firstKey: .key
        case .colon: .colon
        case .separator: .separator
        case .end: .trailing
        }
    }

    /// A fault at the next byte in words.
    func error(_ fault: ParseFault) -> DocumentError {
        let (code, expected) = fault.explained(at: 0, isInObject: isInObject, limits: limits)
        return DocumentError(code, offset: 0, expected: expected)
    }

    private func missingArray() -> DocumentError {
        DocumentError(
            .missingArray, offset: 0,
            expected: route.isEmpty
                ? "expected an array"
                : "expected an array at \(DocumentPath(route).abbreviated)")
    }
}
