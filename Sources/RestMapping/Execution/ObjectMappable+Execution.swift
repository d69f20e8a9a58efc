// SPDX-License-Identifier: Apache-2.0

public import RestDocument

extension ObjectMappable {
    /// Maps a list of representations, or a single one, into instances of ``object()`` if it
    /// returns any.
    ///
    /// - Throws: ``MappingError`` when the declarations are invalid or an object cannot be built.
    public static func objects(
        from node: Node, report: inout MappingReport
    ) throws(MappingError) -> [Self] {
        try MappingCompiler().compile(objectMapping).objects(Self.self, from: node, report: &report)
    }
}
