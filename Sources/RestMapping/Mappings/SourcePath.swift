// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// Where a property's value comes from, seen from the representation of its object.
///
/// As text: keys separated by dots, positions in brackets, and the steps of the table below. Empty
/// text is the representation itself.
///
/// | step | meaning |
/// |---|---|
/// | `{name}` or `(name)` | the key that was mapped to the nesting attribute `name`, as one key |
/// | `@root` | the representation the run began with, an element of a list at the root |
/// | `@parent` | the object of the document around this one; lists in between do not count |
/// | `@metadata` | what the run was given besides the document |
/// | `@count` … | a ``CollectionOperator`` |
///
/// A key that meets a list goes on into each element, and what it finds is a list. A backslash
/// makes any character part of a key: `\@id`, `\{x}`, `a\.b`.
public struct SourcePath: Sendable, Hashable {
    /// One step of a source.
    public enum Component: Sendable, Hashable {
        /// The member of an object, or of every object of a list.
        case key(String)
        /// The element of a list, counted from 0.
        case index(Int)
        /// The key that was mapped to the nesting attribute of this name.
        case placeholder(String)
        /// What the run was given besides the document.
        case metadata
        /// The representation the run began with.
        case root
        /// The object around this one.
        case parent
        /// Makes one value of the elements of a list.
        case collected(CollectionOperator)
    }

    /// The steps, outermost first.
    public var components: [Component]

    /// The representation itself.
    public static let whole = SourcePath([])

    /// Makes a source of steps.
    public init(_ components: [Component]) {
        self.components = components
    }

    /// Makes a source of a path of a document.
    public init(_ path: DocumentPath) {
        components = path.components.map { component in
            switch component {
            case .key(let key): .key(key)
            case .index(let index): .index(index)
            }
        }
    }

    /// Reads a source from text.
    ///
    /// - Throws: ``MappingError`` with code ``MappingError/Code/invalidSource``.
    public init(parsing text: some StringProtocol) throws(MappingError) {
        var reader = SourcePathReader(text)
        components = try reader.components()
    }

    /// The keys, if the source is one or more keys and nothing else.
    var keys: [String]? {
        var keys: [String] = []
        for component in components {
            guard case .key(let key) = component else { return nil }
            keys.append(key)
        }
        return keys.isEmpty ? nil : keys
    }

    /// What is wrong with the order of the steps; nil if nothing is.
    var mistake: String? {
        var isStart = true
        var operators = 0
        for (position, component) in components.enumerated() {
            switch component {
            case .metadata, .root:
                if position > 0 { return "'\(component.text)' stands first" }
            case .parent:
                if !isStart { return "'@parent' stands before all keys" }
                continue
            case .collected:
                operators += 1
                if operators > 1 { return "one collection operator at most" }
            case .key, .index, .placeholder: break
            }
            isStart = false
        }
        return nil
    }
}

extension SourcePath.Component {
    /// The step as text.
    var text: String {
        switch self {
        case .key(""): return "[\"\"]"
        case .key(let key):
            var text = ""
            for (position, scalar) in key.unicodeScalars.enumerated() {
                let isSpecial =
                    ".[]\\".unicodeScalars.contains(scalar)
                    || position == 0 && "@{(".unicodeScalars.contains(scalar)
                if isSpecial { text += "\\" }
                text.unicodeScalars.append(scalar)
            }
            return text
        case .index(let index): return "[\(index)]"
        case .placeholder(let name): return "{\(name)}"
        case .metadata: return "@metadata"
        case .root: return "@root"
        case .parent: return "@parent"
        case .collected(let collection): return "@\(collection.rawValue)"
        }
    }
}

extension SourcePath: CustomStringConvertible {
    /// The source as text that reads back as the same source.
    public var description: String {
        var text = ""
        for component in components {
            let step = component.text
            if !text.isEmpty, step.first != "[" { text += "." }
            text += step
        }
        return text
    }
}

extension SourcePath: ExpressibleByStringLiteral {
    /// Reads a source from a literal; a literal that is none is a programmer's error and traps.
    public init(stringLiteral literal: String) {
        do {
            try self.init(parsing: literal)
        } catch {
            preconditionFailure("\"\(literal)\" is not a source: \(error)")
        }
    }
}
