// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension Document: MappableValue {
    /// Copies a value of any kind, with all its contents, to a document of its own.
    public static func map(from source: ValueSource) throws(MappingFailure) -> Document {
        var builder = DocumentBuilder()
        builder.value(source.documentNode)
        return builder.finish()
    }
    /// Writes the document with all its contents.
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try writer.value(root)
    }
}
