// SPDX-License-Identifier: Apache-2.0

/// A writer that creates JSON text in UTF-8 from documents.
///
/// Numbers and strings are written as they were read, so that compact input is reproduced byte for
/// byte.
public struct JSONWriter: Sendable, Hashable {
    /// The layouts of JSON text.
    public enum Layout: Sendable, Hashable {
        /// A layout without white space.
        case compact
        /// One value per line, indented by spaces. Beyond 64 levels the indentation does not
        /// increase, so that the size of deep documents stays proportional.
        case pretty(indentation: Int)
    }

    /// The layout of the text.
    public var layout: Layout
    /// A Boolean value that indicates whether members are sorted by the bytes of their keys.
    public var sortsKeys: Bool

    /// A writer without white space, in document order.
    public static let compact = JSONWriter()
    /// A writer with an indentation of two spaces, in document order.
    public static let pretty = JSONWriter(layout: .pretty(indentation: 2))

    /// Creates a writer.
    public init(layout: Layout = .compact, sortsKeys: Bool = false) {
        self.layout = layout
        self.sortsKeys = sortsKeys
    }

    /// Returns the JSON text of a value in UTF-8.
    ///
    /// - Complexity: O(*n*) in the size of the value, O(*n* log *n*) if keys are sorted; without
    ///   recursion.
    public func bytes(of node: Node) -> [UInt8] {
        if layout == .compact, !sortsKeys { return node.compactBytes() }
        return node.withView { view in
            var pass = LayoutWriter(self)
            pass.write(view)
            return pass.output
        }
    }

    /// Returns the JSON text of a document in UTF-8.
    public func bytes(of document: Document) -> [UInt8] { bytes(of: document.root) }

    /// Returns the JSON text of a value.
    public func text(of node: Node) -> String { String(decoding: bytes(of: node), as: UTF8.self) }

    /// Returns the JSON text of a document.
    public func text(of document: Document) -> String { text(of: document.root) }
}
