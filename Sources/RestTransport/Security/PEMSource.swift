// SPDX-License-Identifier: Apache-2.0

/// Certificates or a key in PEM format, as text or in a file.
///
/// Descriptions do not contain the content, so that a private key cannot get into a log.
///
/// - Source: RFC 7468.
public struct PEMSource: Sendable, Hashable {
    package enum Storage: Sendable, Hashable {
        case file(path: String)
        case text([UInt8])
    }

    package let storage: Storage

    /// Returns a source that is a file, which the HTTP library of the transport reads when it
    /// connects.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The source.
    public static func file(_ path: String) -> PEMSource {
        PEMSource(storage: .file(path: path))
    }

    /// Returns a source that is text in memory.
    ///
    /// - Parameter text: One or more blocks with `BEGIN` and `END` lines.
    /// - Returns: The source.
    public static func text(_ text: String) -> PEMSource {
        PEMSource(storage: .text(Array(text.utf8)))
    }
}

extension PEMSource: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path of a file, or a fixed text.
    public var description: String {
        switch storage {
        case .file(let path): "PEM file \(path)"
        case .text: "PEM text"
        }
    }

    /// The text of ``description``.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
