// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension Document: MappableValue {
    /// Takes a value with everything in it, whatever its kind, as a document of its own.
    public static func map(from source: MappingSource) throws(MappingFailure) -> Document {
        var builder = DocumentBuilder()
        builder.value(source.element)
        return builder.finish()
    }
    /// Writes the document with everything in it.
    public func write(to writer: inout RepresentationWriter) {
        writer.value(root)
    }
}
