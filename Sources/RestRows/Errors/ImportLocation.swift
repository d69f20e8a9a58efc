// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A place in an imported file or stream.
public struct ImportLocation: Sendable, Hashable, CustomStringConvertible {
    /// The name of the file or stream.
    public var source: String
    /// The offset in bytes of the error or of the element with it; `nil` if it is unknown.
    public var offset: Int?
    /// The line, counted from 1; `nil` if it is unknown.
    public var line: Int?
    /// The path of the value; empty for an error outside of the elements.
    public var path: DocumentPath

    /// Creates a place.
    public init(
        source: String, offset: Int? = nil, line: Int? = nil, path: DocumentPath = .root
    ) {
        self.source = source
        self.offset = offset
        self.line = line
        self.path = path
    }

    /// The source, line, offset and path in one line.
    public var description: String {
        var text = source
        if let line { text += ", line \(line)" }
        if let offset { text += ", byte \(offset)" }
        if !path.components.isEmpty { text += ", \(path.abbreviated)" }
        return text
    }
}
