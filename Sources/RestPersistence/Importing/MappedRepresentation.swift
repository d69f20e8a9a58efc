// SPDX-License-Identifier: Apache-2.0

package import RestDocument
package import RestMapping
import Synchronization

/// A representation that has been mapped to rows and references, which an import places in a context.
///
/// Mapping needs no context. It therefore runs in any isolation, beside the transactions of other
/// imports.
package final class MappedRepresentation: Sendable {
    /// The rows and references; `nil` once they have been placed.
    private let batch: Mutex<ImportBatch?>
    /// The representation.
    let node: Node
    /// The place of the representation in its document.
    let location: DocumentLocation
    /// The issues of the mapping.
    let report: MappingReport

    /// Creates rows and references by mapping a representation.
    ///
    /// - Parameters:
    ///   - node: The representation.
    ///   - plan: The compiled mapping.
    ///   - environment: The metadata and the observer.
    ///   - insidePlainObjects: A Boolean value that indicates whether plain objects hold the objects;
    ///     ``ImportResult/locations`` then tells where.
    ///   - isKeyed: A Boolean value that indicates whether the representation is a dictionary of
    ///     objects, of which plain objects are mapped as well.
    /// - Throws: `MappingError` if the policy ends the mapping.
    package init(
        _ node: Node, by plan: EntityMappingPlan, in environment: sending MappingEnvironment? = nil,
        insidePlainObjects: Bool = false, isKeyed: Bool = false
    ) throws(MappingError) {
        var report = MappingReport()
        self.node = node
        location = (environment ?? MappingEnvironment()).location
        batch = Mutex(
            try ImportBatch(
                of: node, by: plan, in: environment, insidePlainObjects: insidePlainObjects,
                isKeyed: isKeyed, report: &report))
        self.report = report
    }

    /// Returns the attributes of the only object of the representation, by name, with the values that an import
    /// would write; `nil` if there is not one object.
    ///
    /// The representation is not placed afterwards.
    package func attributesOfOnlyObject() -> [String: StoredValue]? {
        guard let batch = takeBatch(), batch.roots.count == 1, let root = batch.roots.first else {
            return nil
        }
        let entity = batch.entities[root.entity]
        var values: [String: StoredValue] = [:]
        for column in entity.masks[root.row].columns {
            let layout = entity.layout.columns[column]
            if layout.destination == nil { values[layout.name] = entity.value(root.row, column) }
        }
        return values
    }

    /// Returns the rows and references, which one import changes while it places them.
    func takeBatch() -> sending ImportBatch? {
        batch.withLock { batch in
            let taken = batch
            batch = nil
            return taken
        }
    }
}
