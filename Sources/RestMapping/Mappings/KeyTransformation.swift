// SPDX-License-Identifier: Apache-2.0

/// How the names of a representation become those of properties, for mappings declared by names.
///
/// A mapping keeps the one it was made with. It is applied to every component of a dotted name on
/// its own and never to pairs of names, which say both.
public struct KeyTransformation: Sendable {
    private let toDestination: @Sendable (String) -> String
    private let toSource: @Sendable (String) -> String

    /// Makes a transformation.
    ///
    /// - Parameters:
    ///   - toDestination: Makes the name of a property of a key.
    ///   - toSource: Makes the key of the name of a property, for default mappings; the name itself
    ///     if left out.
    public init(
        toDestination: @escaping @Sendable (String) -> String,
        toSource: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.toDestination = toDestination
        self.toSource = toSource
    }

    /// Names stay as they are.
    public static let identity = KeyTransformation(toDestination: { $0 })

    /// `created_at` in the representation, `createdAt` in the type.
    public static let snakeCase = KeyTransformation(
        toDestination: camelCased, toSource: snakeCased)

    /// The property that a key feeds, component by component.
    func destination(of source: SourcePath) -> String {
        source.components.map { component in
            guard case .key(let key) = component else { return component.text }
            return toDestination(key)
        }.joined(separator: ".")
    }

    /// The key that feeds a property.
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
