# Sets TDC_EXECUTABLE, unless it is set, to the tdc that this folder came with: installed, or built in its checkout.
if(NOT TDC_EXECUTABLE)
    get_filename_component(_tdc_here "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
    foreach(_tdc_candidate "${_tdc_here}/../../../bin/tdc" "${_tdc_here}/../build/tdc")
        if(NOT TDC_EXECUTABLE AND EXISTS "${_tdc_candidate}")
            get_filename_component(TDC_EXECUTABLE "${_tdc_candidate}" ABSOLUTE)
        endif()
    endforeach()
endif()
