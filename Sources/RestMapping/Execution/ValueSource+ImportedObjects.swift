// SPDX-License-Identifier: Apache-2.0

import RestDocument

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
