// SPDX-License-Identifier: Apache-2.0

import RestMapping
import Testing

/// Expects that a transformer refuses a value with a code, and says nothing of the value.
func expectFailure(
    _ code: TransformFailure.Code, of transformer: some ValueTransforming, _ value: Any?,
    to output: Any.Type, sourceLocation: SourceLocation = #_sourceLocation
) {
    do throws(TransformFailure) {
        let result = try transformer.transform(value, to: output)
        Issue.record("made \(String(describing: result))", sourceLocation: sourceLocation)
    } catch {
        #expect(error.code == code, sourceLocation: sourceLocation)
        #expect(error.transformer == transformer.name, sourceLocation: sourceLocation)
        #expect(error.description.hasPrefix("\(code): "), sourceLocation: sourceLocation)
    }
}

/// Text that is neither a number, nor a date, nor a URL.
let nonsense = ":*7vxck#sf#adsa"
