// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The location of a representation in a run: its value, and the step that maps it.
///
/// Two runs of one plan for one document visit a representation at equal locations. The value alone
/// is not enough, because several steps may map the same one.
package struct RepresentationLocation: Hashable, Sendable {
    /// The index of the value on the tape of its document.
    let value: Int
    /// The index of the value on the tape of the run's document; see ``ValueSource/location``.
    let location: Int
    let step: Int
}

/// The managed objects that were imported from a document, for the plain objects that hold them.
///
/// A store imports the entities of a document first. The run that maps the plain objects then takes the
/// imported objects in place of mapping their representations again.
package protocol ImportedObjects {
    /// Returns the object of a representation.
    func object(at location: RepresentationLocation) -> ImportedObject
}

/// The object that an import has for a representation.
package enum ImportedObject {
    case object(AnyObject)
    /// The import dropped the object, or it was deleted since.
    case dropped
    /// The import did not reach the representation.
    case unknown
}

extension ValueSource {
    /// The location of the value, which is equal in another run of the plan for the document.
    package var representationLocation: RepresentationLocation {
        RepresentationLocation(value: view.index, location: location, step: stepIndex)
    }

    /// Returns the managed object that was imported from the value.
    ///
    /// - Throws: ``MappingFailure`` that drops the object, as the import did; one for a value that
    ///   represents no object; or one that ends the run, because without a context there are no managed
    ///   objects.
    package func importedObject() throws(MappingFailure) -> AnyObject {
        switch context.environment.importedObjects?.object(at: representationLocation) {
        case .object(let object): return object
        case .dropped:
            throw failure(.undetermined, "an object that was imported").advanced(to: .objectDropped)
        case .unknown:
            guard isRepresentation else { throw mismatch("an object") }
            throw ended("a managed object where a relation of its property leads")
        case nil:
            throw ended(
                "a context for \(table.name): name one by in:, or set the store of the object manager"
            )
        }
    }

    private func ended(_ expected: String) -> MappingFailure {
        let failure = failure(.invalidMapping, expected)
        let mapping = unsafe state.pointee.objects[Int(step.pointee.object)].mapping
        context.record(failure, at: self, mapping: Int(mapping), property: -1)
        return failure.advanced(to: .ended)
    }
}
