// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestPersistence
import Synchronization

/// The mappings of records some of whose lists are shorter than the records say.
///
/// A class, so that the pages of a resource share what was compiled.
final class PartialPlans: Sendable {
    private let compiler: RecordMappingCompiler
    private let plans = Mutex<[[DocumentPath]: EntityMappingPlan]>([:])

    /// The number of plans that are kept.
    private static let maximumCount = 64

    init(_ compiler: RecordMappingCompiler) { self.compiler = compiler }

    /// Returns the plan of records whose lists at some paths are short.
    ///
    /// - Throws: ``MirrorError`` with code `invalidDefinition`.
    func plan(_ paths: [DocumentPath]) throws -> EntityMappingPlan {
        if let known = plans.withLock({ $0[paths] }) { return known }
        let mapping = try compiler.mapping(
            of: compiler.resource.entity, isRoot: true, short: paths)
        let plan = try EntityMappingPlan(mapping, in: compiler.model)
        plans.withLock { plans in
            if plans.count >= Self.maximumCount { plans = [:] }
            plans[paths] = plan
        }
        return plan
    }
}
