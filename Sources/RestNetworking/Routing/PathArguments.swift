// SPDX-License-Identifier: Apache-2.0

/// The values of the parameters of a path or its query, percent-decoded and in order.
public struct PathArguments: Sendable, Hashable {
    private var entries: [Entry] = []

    private struct Entry: Sendable, Hashable {
        var name: String
        var values: [String]
    }

    /// Creates an empty collection of arguments.
    public init() {}

    /// The names, in the order of their first appearance.
    public var names: [String] { entries.map(\.name) }

    /// A Boolean value that indicates whether there are no arguments.
    public var isEmpty: Bool { entries.isEmpty }

    /// The first value of a name; `nil` if there is none.
    public subscript(name: String) -> String? { values(for: name).first }

    /// Returns all values of a name, in order.
    public func values(for name: String) -> [String] {
        entries.first { $0.name == name }?.values ?? []
    }

    /// Adds a value to the values of a name.
    public mutating func append(_ value: String, for name: String) {
        if let index = entries.firstIndex(where: { $0.name == name }) {
            entries[index].values.append(value)
        } else {
            entries.append(Entry(name: name, values: [value]))
        }
    }

    /// Adds the arguments whose names these arguments do not contain.
    mutating func merge(keepingCurrent others: PathArguments) {
        let current = Set(names)
        entries += others.entries.filter { !current.contains($0.name) }
    }
}

extension PathArguments: ExpressibleByDictionaryLiteral {
    /// Creates arguments from names and values, where a repeated name has several values.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements {
            append(value, for: name)
        }
    }
}
