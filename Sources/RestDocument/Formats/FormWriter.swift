// SPDX-License-Identifier: Apache-2.0

import RestSyntax

/// A writer of a form: appends every value as a pair with its full name.
///
/// The members of an object can be written in any order. Each of them is a range of bytes, in which
/// every pair begins with `&`, and the ranges are ordered when the object ends.
package struct FormWriter {
    /// An open container.
    private struct Container {
        /// The number of bytes of the container's own name.
        let nameCount: Int
        /// The number of bytes before the container.
        let start: Int
        /// The index of the object's first member.
        let firstMember: Int
        /// The number of elements for which something was written; nil for an object.
        var elementCount: Int?
        /// The number of bytes before the current element.
        var elementStart = 0
    }

    /// A member of an open object.
    private struct Member {
        let key: String
        let start: Int
    }

    private let maximumDepth: Int
    private let style: FormStyle
    private var output: [UInt8] = []
    /// The encoded name of the current value.
    private var name: [UInt8] = []
    private var containers: [Container] = []
    /// The members of all open objects, those of the outermost first.
    private var members: [Member] = []

    /// The bytes in place of an empty container, which no pair contains.
    ///
    /// An empty container adds no pair, but it replaces an earlier member with the same name.
    private static let emptyContainer: [UInt8] = [0, 0]

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - maximumDepth: The maximum nesting of containers.
    ///   - style: The conventions for lists, Boolean values and null.
    package init(maximumDepth: Int, style: FormStyle = FormStyle()) {
        self.maximumDepth = maximumDepth
        self.style = style
    }

    /// The number of bytes written.
    package var count: Int { output.count }

    /// Removes the bytes after a number of bytes.
    package mutating func truncate(to count: Int) {
        output.removeSubrange(count...)
    }

    /// Returns the form and empties the writer.
    package mutating func finish() -> [UInt8] {
        var form: [UInt8] = []
        swap(&form, &output)
        if form.contains(0) { form.removeAll { $0 == 0 } }
        if !form.isEmpty { form.removeFirst() }
        return form
    }

    // MARK: Containers

    /// A Boolean value that indicates whether another container can begin.
    package var allowsContainer: Bool { containers.count < maximumDepth && !isInPlainList }

    /// A Boolean value that indicates whether the current value is an element of a list that can
    /// have plain values only.
    package var isInPlainList: Bool {
        containers.last?.elementCount != nil && !style.allowsNestedLists
    }

    /// Begins an object or an array, which is the current value.
    package mutating func beginContainer() {
        containers.append(
            Container(
                nameCount: name.count, start: output.count, firstMember: members.count))
    }

    /// Begins an element of the innermost container.
    package mutating func beginElement() {
        resetName()
        let index = beginElementOfContainer()
        guard style.allowsNestedLists else { return }
        name.append(UInt8(ascii: "["))
        if style.lists == .indices { name += "\(index)".utf8 }
        name.append(UInt8(ascii: "]"))
    }

    /// Returns the index of the next element; elements for which nothing was written do not count.
    private mutating func beginElementOfContainer() -> Int {
        guard let last = containers.indices.last else { return 0 }
        var index = containers[last].elementCount ?? 0
        if containers[last].elementCount != nil, output.count > containers[last].elementStart {
            index += 1
        }
        containers[last].elementCount = index
        containers[last].elementStart = output.count
        return index
    }

    /// Begins a member of the innermost container.
    ///
    /// Brackets in the key remain unescaped. A member for which nothing is written is left out.
    package mutating func beginMember(_ key: String) {
        resetName()
        members.append(Member(key: key, start: output.count))
        let isNested = containers.count > 1
        if isNested { name.append(UInt8(ascii: "[")) }
        for byte in key.utf8 {
            if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") {
                name.append(byte)
            } else {
                PercentEncoding.appendEncoded(byte, to: &name)
            }
        }
        if isNested { name.append(UInt8(ascii: "]")) }
    }

    /// Ends the innermost container, an array.
    package mutating func endArray() {
        let container = containers.removeLast()
        name.removeSubrange(container.nameCount...)
        if output.count == container.start { output += Self.emptyContainer }
    }

    /// Ends the innermost container, an object, and orders its members.
    package mutating func endObject() {
        let container = containers[containers.count - 1]
        orderMembers(of: container)
        members.removeSubrange(container.firstMember...)
        endArray()
    }

    private mutating func resetName() {
        if let container = containers.last { name.removeSubrange(container.nameCount...) }
    }

    /// Orders members by lowercased key; equal names stay in the order in which they were written.
    ///
    /// Of members with the same key, the last one is kept.
    private mutating func orderMembers(of container: Container) {
        let members = members[container.firstMember...]
        guard members.count > 1 else { return }
        var written: [(name: String, key: String, range: Range<Int>)] = []
        written.reserveCapacity(members.count)
        var isOrdered = true
        var end = output.count
        for member in members.reversed() where member.start < end {
            let name = member.key.lowercased()
            if let next = written.last, name >= next.name { isOrdered = false }
            written.append((name, member.key, member.start..<end))
            end = member.start
        }
        if isOrdered { return }
        var known: Set<MemberKey> = []
        written.removeAll { !known.insert(MemberKey($0.key)).inserted }
        written.sort { ($0.name, $0.range.lowerBound) < ($1.name, $1.range.lowerBound) }
        var ordered: [UInt8] = []
        ordered.reserveCapacity(output.count - container.start)
        for member in written { ordered += output[member.range] }
        output.replaceSubrange(container.start..., with: ordered)
    }

    // MARK: Values

    /// Writes null in the form's style.
    package mutating func null() {
        let isElement = containers.last?.elementCount != nil
        switch style.nulls {
        case .omitted:
            // A member replaces an earlier one with the same name.
            if !isElement { output += Self.emptyContainer }
        case .bare where !(isElement && style.lists == .commas):
            beginPair()
            // A pair with neither name nor `=` would disappear.
            if name.isEmpty { output.append(UInt8(ascii: "=")) }
        case .bare, .empty: text(EmptyCollection<UInt8>())
        }
    }

    /// Writes true or false in the form's style.
    package mutating func bool(_ value: Bool) {
        text(style.text(of: value).utf8)
    }

    /// Writes the text of a string or number.
    package mutating func text(_ text: some Sequence<UInt8>) {
        if style.lists == .commas, let list = containers.last, list.elementCount != nil,
            output.count > list.start
        {
            output.append(UInt8(ascii: ","))
        } else {
            beginPair()
            output.append(UInt8(ascii: "="))
        }
        PercentEncoding.appendEncoded(text, to: &output)
    }

    /// Writes a value of a document with all its contents.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/limitExceeded`` and the path of a
    ///   container that is nested too deeply.
    package mutating func value(_ node: Node) throws(DocumentError) {
        try withExtendedLifetime(node) { () throws(DocumentError) in
            try value(node.storage.view(at: node.index))
        }
    }

    /// Writes a value of a document with all its contents, without recursion.
    mutating func value(_ root: NodeView) throws(DocumentError) {
        guard root.kind.isContainer else { return scalar(root) }
        var open: [(container: Int, next: Int)] = []
        try begin(root, &open)
        while let (index, next) = open.last {
            let container = root.at(index)
            guard next < container.contentEnd else {
                if container.isObject { endObject() } else { endArray() }
                open.removeLast()
                continue
            }
            var value = root.at(next)
            if container.isObject {
                beginMember(value.string() ?? "")
                value = root.at(next + 1)
            } else {
                beginElement()
            }
            open[open.count - 1].next = value.nextIndex
            if value.kind.isContainer { try begin(value, &open) } else { scalar(value) }
        }
    }

    private mutating func begin(
        _ container: NodeView, _ open: inout [(container: Int, next: Int)]
    ) throws(DocumentError) {
        guard !isInPlainList else {
            throw DocumentError(
                .unwritableValue, offset: container.tapeNode.offset, path: container.path,
                expected: FormStyle.nestedListAdvice)
        }
        guard allowsContainer else {
            throw DocumentError(
                .limitExceeded, offset: container.tapeNode.offset, path: container.path,
                expected: "at most \(maximumDepth) nested containers")
        }
        beginContainer()
        open.append((container.index, container.index + 1))
    }

    private mutating func scalar(_ value: NodeView) {
        if let bool = value.bool {
            self.bool(bool)
        } else if let text = value.string() ?? value.numberText {
            self.text(text.utf8)
        } else {
            null()
        }
    }

    private mutating func beginPair() {
        output.append(UInt8(ascii: "&"))
        output += name
    }
}
