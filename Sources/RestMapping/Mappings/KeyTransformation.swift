// SPDX-License-Identifier: Apache-2.0

/// A transformation between the keys of a representation and the names of properties, for mappings
/// that are declared by names.
///
/// A mapping keeps the transformation it was created with. It applies to each component of a dotted
/// name, but not to pairs of names, which declare both.
public struct KeyTransformation: Sendable {
    private let toDestination: @Sendable (String) -> String
    private let toSource: @Sendable (String) -> String

    /// Creates a transformation.
    ///
    /// - Parameters:
    ///   - toDestination: Returns the name of a property for a key.
    ///   - toSource: Returns the key for the name of a property, for default mappings; the name
    ///     itself by default.
    public init(
        toDestination: @escaping @Sendable (String) -> String,
        toSource: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.toDestination = toDestination
        self.toSource = toSource
    }

    /// The transformation that leaves names unchanged.
    public static let identity = KeyTransformation(toDestination: { $0 })

    /// The transformation between `created_at` in the representation and `createdAt` in the type.
    public static let snakeCase = KeyTransformation(
        toDestination: camelCased, toSource: snakeCased)

    /// Returns the property for a key, component by component.
    package func destination(of source: SourcePath) -> String {
        source.components.map { component in
            guard case .key(let key) = component else { return component.text }
            return toDestination(key)
        }.joined(separator: ".")
    }

    /// Returns the key for a property.
    func source(of name: String) -> SourcePath { SourcePath([.key(toSource(name))]) }
}

private func camelCased(_ key: String) -> String {
    let leading = key.prefix { $0 == "_" }
    let words = key.dropFirst(leading.count).split(separator: "_")
    guard let first = words.first else { return key }
    return leading + first
        + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
}

private func snakeCased(_ name: String) -> String {
    var text = ""
    var last: Character?
    for (position, character) in name.enumerated() {
        let next = name.dropFirst(position + 1).first
        // A capital begins a word after a small letter, or as the last of several capitals.
        let isStart =
            character.isUppercase && last != nil && last != "_"
            && (last?.isUppercase == false || next?.isLowercase == true)
        if isStart { text += "_" }
        text += character.lowercased()
        last = character
    }
    return text
}
