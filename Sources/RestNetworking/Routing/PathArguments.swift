// SPDX-License-Identifier: Apache-2.0

/// Values by name, as a path or its query holds them: always text, percent-decoded, in order.
public struct PathArguments: Sendable, Hashable {
    private var entries: [Entry] = []

    private struct Entry: Sendable, Hashable {
        var name: String
        var values: [String]
    }

    /// Makes an empty set of arguments.
    public init() {}

    /// The names, in the order of their first appearance.
    public var names: [String] { entries.map(\.name) }

    /// Whether there are none.
    public var isEmpty: Bool { entries.isEmpty }

    /// The value of a name; the first one if the name was repeated.
    public subscript(name: String) -> String? { values(for: name).first }

    /// All values of a name, in order.
    public func values(for name: String) -> [String] {
        entries.first { $0.name == name }?.values ?? []
    }

    /// Adds a value after those the name has already.
    public mutating func append(_ value: String, for name: String) {
        if let index = entries.firstIndex(where: { $0.name == name }) {
            entries[index].values.append(value)
        } else {
            entries.append(Entry(name: name, values: [value]))
        }
    }

    /// Takes over the names of other arguments that these do not have.
    mutating func addMissing(_ others: PathArguments) {
        let known = Set(names)
        entries += others.entries.filter { !known.contains($0.name) }
    }
}

extension PathArguments: ExpressibleByDictionaryLiteral {
    /// Makes arguments from pairs; a repeated name gets several values.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements {
            append(value, for: name)
        }
    }
}
