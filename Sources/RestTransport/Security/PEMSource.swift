// SPDX-License-Identifier: Apache-2.0

/// Certificates or a key in PEM form, as text or in a file.
///
/// Says nothing of its content: a private key must not get into a log.
/// - Source: RFC 7468.
public struct PEMSource: Sendable, Hashable {
    package enum Storage: Sendable, Hashable {
        case file(path: String)
        case text([UInt8])
    }

    package let storage: Storage

    /// A file, read by the library that moves the bytes when it makes a connection.
    ///
    /// - Parameter path: The file's path.
    /// - Returns: The source.
    public static func file(_ path: String) -> PEMSource {
        PEMSource(storage: .file(path: path))
    }

    /// Text held in memory.
    ///
    /// - Parameter text: One block or several, each with its `BEGIN` and `END` lines.
    /// - Returns: The source.
    public static func text(_ text: String) -> PEMSource {
        PEMSource(storage: .text(Array(text.utf8)))
    }
}

extension PEMSource: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path of a file, or fixed words.
    public var description: String {
        switch storage {
        case .file(let path): "PEM file \(path)"
        case .text: "PEM text"
        }
    }

    /// As ``description``.
    public var debugDescription: String { description }

    /// Nothing but the description.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
