// SPDX-License-Identifier: Apache-2.0

/// Writes documents as JSON text in UTF-8.
///
/// Numbers and texts are written as they were read, so that compact input comes back byte for byte.
public struct JSONWriter: Sendable, Hashable {
    /// How the text is laid out.
    public enum Layout: Sendable, Hashable {
        /// Without any white space.
        case compact
        /// One value a line, indented by blanks; beyond 64 levels the indentation stays the same,
        /// so that the size of deep documents stays in proportion.
        case pretty(indentation: Int)
    }

    /// How the text is laid out.
    public var layout: Layout
    /// Whether members are ordered by the bytes of their keys.
    public var sortsKeys: Bool

    /// Without white space, in document order.
    public static let compact = JSONWriter()
    /// Indented by two blanks, in document order.
    public static let pretty = JSONWriter(layout: .pretty(indentation: 2))

    /// Makes a writer.
    public init(layout: Layout = .compact, sortsKeys: Bool = false) {
        self.layout = layout
        self.sortsKeys = sortsKeys
    }

    /// The value as JSON text.
    ///
    /// - Complexity: O(*n*) in the size of the value, O(*n* log *n*) when keys are sorted; no
    ///   recursion.
    public func bytes(of node: Node) -> [UInt8] {
        if layout == .compact, !sortsKeys { return node.compactBytes() }
        return node.withView { view in
            var pass = LayoutPass(self)
            pass.write(view)
            return pass.output
        }
    }

    /// The document as JSON text.
    public func bytes(of document: Document) -> [UInt8] { bytes(of: document.root) }

    /// The value as JSON text.
    public func text(of node: Node) -> String { String(decoding: bytes(of: node), as: UTF8.self) }

    /// The document as JSON text.
    public func text(of document: Document) -> String { text(of: document.root) }
}
