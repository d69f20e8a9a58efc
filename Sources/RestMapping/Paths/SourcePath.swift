// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A path from the representation of an object to the value of one of its properties.
///
/// The text of a path consists of keys separated by dots, indices in brackets, and the steps of the
/// table below. Empty text is the representation itself.
///
/// | step | meaning |
/// |---|---|
/// | `{name}` or `(name)` | the key that was mapped to the nesting attribute `name`, as one key |
/// | `@root` | the representation at which the run began, an element for a list at the root |
/// | `@parent` | the enclosing object of the document, regardless of lists in between |
/// | `@metadata` | the metadata of the run's environment |
/// | `@count` … | a ``CollectionOperator`` |
///
/// An object that is mapped as the list of its members counts as a list for `@parent`.
///
/// A key that is applied to a list is looked up in each element, and the result is a list. A
/// backslash makes any character part of a key: `\@id`, `\{x}`, `a\.b`. The names of OData need none:
/// `@odata.nextLink` is one key.
public struct SourcePath: Sendable, Hashable {
    /// A step of a path.
    public enum Component: Sendable, Hashable {
        /// The member of an object, or of each object of a list.
        case key(String)
        /// The element of a list, counted from 0.
        case index(Int)
        /// The key that was mapped to the nesting attribute of this name.
        case placeholder(String)
        /// The metadata of the run's environment.
        case metadata
        /// The representation at which the run began.
        case root
        /// The enclosing object.
        case parent
        /// An operator on the elements of a list.
        case collected(CollectionOperator)
    }

    /// The steps, outermost first.
    public var components: [Component]

    /// The empty path, to the representation itself.
    public static let whole = SourcePath([])

    /// Creates a path with steps.
    public init(_ components: [Component]) {
        self.components = components
    }

    /// Creates a path from the path of a document.
    public init(_ path: DocumentPath) {
        components = path.components.map { component in
            switch component {
            case .key(let key): .key(key)
            case .index(let index): .index(index)
            }
        }
    }

    /// Creates a path from text.
    ///
    /// - Throws: ``MappingError`` with code ``MappingError/Code/invalidSource``.
    public init(parsing text: some StringProtocol) throws(MappingError) {
        var parser = SourcePathParser(text)
        components = try parser.components()
    }

    /// The keys, if the path consists of one or more keys and nothing else.
    var keys: [String]? {
        var keys: [String] = []
        for component in components {
            guard case .key(let key) = component else { return nil }
            keys.append(key)
        }
        return keys.isEmpty ? nil : keys
    }

    /// A Boolean value that indicates whether the path leads to the metadata of the environment.
    var beginsWithMetadata: Bool { components.first == .metadata }

    /// A Boolean value that indicates whether a step is the key of the representation.
    var hasPlaceholder: Bool {
        components.contains { if case .placeholder = $0 { true } else { false } }
    }

    /// A description of the error in the order of the steps; nil if there is none.
    var orderDiagnostic: String? {
        var isStart = true
        var operators = 0
        for (position, component) in components.enumerated() {
            switch component {
            case .metadata, .root:
                if position > 0 { return "'\(component.text)' must come first" }
            case .parent:
                if !isStart { return "'@parent' must come before all keys" }
                continue
            case .collected:
                operators += 1
                if operators > 1 { return "at most one collection operator is allowed" }
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
            let isNamespace = key.utf8.suffix(6).elementsEqual("@odata".utf8)
            return isNamespace ? text.dropLast() + "\\a" : text
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
    /// The path as text, which parses to the same path.
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
    /// Creates a path from a literal.
    ///
    /// An invalid literal is a programmer error and traps.
    public init(stringLiteral literal: String) {
        do {
            try self.init(parsing: literal)
        } catch {
            preconditionFailure("\"\(literal)\" is not a source path: \(error)")
        }
    }
}
