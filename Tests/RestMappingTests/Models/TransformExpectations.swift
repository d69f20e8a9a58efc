// SPDX-License-Identifier: Apache-2.0

import RestMapping
import Testing

/// Expects that a transform fails with a code, and that the failure does not contain the value.
func expectFailure(
    _ code: TransformFailure.Code, of transform: AnyValueTransform, _ value: Any?,
    to output: Any.Type, sourceLocation: SourceLocation = #_sourceLocation
) {
    do throws(TransformFailure) {
        let result = try transform.transform(value, to: output)
        Issue.record("made \(String(describing: result))", sourceLocation: sourceLocation)
    } catch {
        #expect(error.code == code, sourceLocation: sourceLocation)
        #expect(error.transform == transform.name, sourceLocation: sourceLocation)
        #expect(error.description.hasPrefix("\(code): "), sourceLocation: sourceLocation)
    }
}

/// Text that is not a number, a date or a URL.
let invalidText = ":*7vxck#sf#adsa"
