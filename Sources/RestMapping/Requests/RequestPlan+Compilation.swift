// SPDX-License-Identifier: Apache-2.0

extension RequestPlan {
    /// Creates a plan from a mapping of any kind.
    ///
    /// - Parameters:
    ///   - mapping: The mapping of objects to representations.
    ///   - rootKey: A key that wraps the representation; it is used literally, dots included.
    /// - Throws: ``MappingError`` with code ``MappingError/Code/invalidMapping`` and all
    ///   diagnostics.
    /// - Complexity: O(*n*) in the number of properties of all mappings reached.
    public init(
        _ mapping: AnyRequestMapping, rootKey: String? = nil
    ) throws(MappingError) {
        var compiler = RequestPlanCompiler()
        compiler.compile(mapping)
        guard compiler.diagnostics.isEmpty else {
            throw MappingError(
                .invalidMapping, mapping: mapping.table.name, diagnostics: compiler.diagnostics)
        }
        self = compiler.plan(rootKey: rootKey)
    }

    /// Creates a plan from a mapping that is the same for all objects.
    ///
    /// - Throws: ``MappingError`` with all diagnostics.
    public init(_ mapping: RequestMapping, rootKey: String? = nil) throws(MappingError) {
        try self.init(.request(mapping), rootKey: rootKey)
    }

    /// Creates a plan from mappings that are chosen for each object.
    ///
    /// - Throws: ``MappingError`` with all diagnostics.
    public init(_ mapping: DynamicRequestMapping, rootKey: String? = nil) throws(MappingError) {
        try self.init(.dynamic(mapping), rootKey: rootKey)
    }

    /// Creates a plan from the default mapping of a type.
    ///
    /// - Throws: ``MappingError`` with all diagnostics.
    public init<Subject: MappingSubject>(
        _ subject: Subject.Type, rootKey: String? = nil
    ) throws(MappingError) {
        try self.init(RequestMapping(for: subject), rootKey: rootKey)
    }
}
